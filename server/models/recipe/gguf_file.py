"""Writes and reads GGUF files in the single-file layout of Ollama: text, `v.*`, `a.*` and `mm.*` in one file, with
the tensor names, shapes, types and metadata that its converter produces.
"""

import numpy as np
import gguf
from gguf import GGUFWriter, GGMLQuantizationType as Q, GGUFValueType as T
import tokenizer_file

# order matters: at each position the first matching pair wins (Go strings.NewReplacer semantics)
REPL = [
    l.split()
    for l in """
.linear.weight .weight
.linear.bias .bias
model.audio_tower.subsample_conv_projection.layer0.conv a.conv1d.0
model.audio_tower.subsample_conv_projection.layer0.norm a.conv1d.0.norm
model.audio_tower.subsample_conv_projection.layer1.conv a.conv1d.1
model.audio_tower.subsample_conv_projection.layer1.norm a.conv1d.1.norm
model.audio_tower.subsample_conv_projection.input_proj_linear a.pre_encode.out
model.audio_tower.layers a.blk
self_attn.relative_k_proj linear_pos
self_attn.per_dim_scale per_dim_scale
self_attn.post attn_out
norm_pre_attn ln1
norm_post_attn ln2
feed_forward1.pre_layer_norm ffn_norm
feed_forward1.post_layer_norm ffn_post_norm
feed_forward1.ffw_layer_1 ffn_up
feed_forward1.ffw_layer_2 ffn_down
feed_forward2.pre_layer_norm ffn_norm_1
feed_forward2.post_layer_norm ffn_post_norm_1
feed_forward2.ffw_layer_1 ffn_up_1
feed_forward2.ffw_layer_2 ffn_down_1
lconv1d.depthwise_conv1d conv_dw
lconv1d.pre_layer_norm conv_norm
lconv1d.conv_norm norm_conv
lconv1d.linear_start conv_pw1
lconv1d.linear_end conv_pw2
norm_out layer_pre_norm
model.embed_audio.embedding_projection mm.a.input_projection
model.audio_tower.output_proj mm.a.fc
model.vision_tower.encoder.layers v.blk
model.vision_tower.patch_embedder.input_proj v.patch_embd
model.vision_tower.patch_embedder.position_embedding_table v.position_embd.weight
model.vision_tower.std_bias v.std_bias
model.vision_tower.std_scale v.std_scale
model.embed_vision.embedding_projection mm.input_projection
model.language_model.embed_tokens_per_layer per_layer_token_embd
model.language_model.embed_tokens token_embd
model.language_model.per_layer_model_projection per_layer_model_proj
model.language_model.per_layer_projection_norm per_layer_proj_norm
model.language_model.norm output_norm
model.language_model.layers blk
input_layernorm attn_norm
self_attn.q_proj attn_q
self_attn.q_norm attn_q_norm
self_attn.k_proj attn_k
self_attn.k_norm attn_k_norm
self_attn.v_proj attn_v
self_attn.o_proj attn_output
mlp.gate_proj ffn_gate
mlp.down_proj ffn_down
mlp.up_proj ffn_up
post_attention_layernorm post_attention_norm
pre_feedforward_layernorm_2 pre_ffw_norm_2
pre_feedforward_layernorm ffn_norm
post_feedforward_layernorm_1 post_ffw_norm_1
post_feedforward_layernorm_2 post_ffw_norm_2
post_feedforward_layernorm post_ffw_norm
per_layer_input_gate inp_gate
per_layer_projection proj
post_per_layer_input_norm post_norm
layer_scalar layer_output_scale.weight
""".strip().splitlines()
]


def ollama_name(hf):
    """The name in the file of a tensor of transformers."""
    out, i = "", 0
    while i < len(hf):
        for a, b in REPL:
            if hf.startswith(a, i):
                out += b
                i += len(a)
                break
        else:
            out += hf[i]
            i += 1
    if out.startswith("v.blk."):
        for a, b in (
            (".attn_norm.", ".ln1."),
            (".ffn_norm.", ".ln2."),
            (".attn_output.", ".attn_out."),
            (".post_attention_norm.", ".attn_post_norm."),
            (".post_ffw_norm.", ".ffn_post_norm."),
            (".layer_output_scale.", ".out_scale."),
        ):
            out = out.replace(a, b, 1)
    if out.startswith("a.blk.") and out.endswith("per_dim_scale"):
        out += ".weight"
    return out


def tensor_kind(name, shape):
    """reader.go tensorBase.Kind(): what is F32, everything else with >= 2 dims is F16."""
    if (
        name.endswith((".ffn_gate_inp.weight", ".bias"))
        or name.startswith("a.conv1d.")
        or ".conv_dw." in name
        or name == "v.position_embd.weight"
        or len(shape) <= 1
    ):
        return Q.F32
    return Q.F16


def tensors_ollama(model, cfg):
    """[(gguf name, numpy f32 array, kind)] in Ollama naming from a transformers Gemma4 model."""
    sd = {k: v for k, v in model.state_dict().items() if not k.startswith("lm_head")}
    out = []
    for hf, t in sorted(sd.items()):
        name = ollama_name(hf)
        a = t.detach().float().numpy()
        if name.endswith("per_dim_scale.weight"):
            a = np.log1p(np.exp(a.astype(np.float64))).astype(np.float32)  # stored after softplus
        if ".conv_dw." in name:
            a = a.reshape(a.shape[0], a.shape[2])
        if a.ndim == 0:
            a = a.reshape(1)
        kind = tensor_kind(name, a.shape)
        if name == "v.patch_embd.weight":
            p = cfg.vision_config.patch_size
            a = np.ascontiguousarray(a.reshape(-1, p, p, 3).transpose(0, 3, 1, 2))
            kind = Q.F16
        out.append((name, a, kind))
    tc = cfg.text_config
    hd = global_head_dim(tc)
    n = int(hd * tc.rope_parameters["full_attention"]["partial_rotary_factor"] / 2)
    f = np.full(hd // 2, 1e30, np.float32)
    f[:n] = 1.0
    out.append(("rope_freqs.weight", f, Q.F32))
    vc = getattr(cfg, "vision_config", None)
    if vc is not None and getattr(vc, "use_clipped_linears", False):
        lin = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
        sfx = ["input_min", "input_max", "output_min", "output_max"]
        c = np.zeros((vc.num_hidden_layers * 7 + 1) * 4, np.float32)  # projector slot stays 0,0,0,0
        for hf, t in sd.items():
            if "vision_tower" in hf and hf.rsplit(".", 1)[1] in sfx:
                L = int(hf.split("layers.")[1].split(".")[0])
                li = [i for i, x in enumerate(lin) if x in hf][0]
                c[(L * 7 + li) * 4 + sfx.index(hf.rsplit(".", 1)[1])] = float(t)
        out.append(("v.clamp_data", c, Q.F32))
    return out


def global_head_dim(tc):
    g = tc.layer_types.index("full_attention")
    return tc.per_layer_config[g].head_dim


def kv_ollama(cfg, tok_dir, arch="gemma4"):
    tc = cfg.text_config
    g = tc.layer_types.index("full_attention")
    hd, gkv = tc.per_layer_config[g].head_dim, tc.per_layer_config[g].num_key_value_heads
    sw = tc.layer_types.index("sliding_attention")
    shd, skv = tc.per_layer_config[sw].head_dim, tc.per_layer_config[sw].num_key_value_heads
    kv = {"general.file_type": 1, "general.quantization_version": 2}
    kv.update(tokenizer_file.ollama_kv(tok_dir))
    P = arch + "."
    L = tc.num_hidden_layers
    shared = getattr(tc, "num_kv_shared_layers", 0)
    kv[P + "block_count"] = L
    kv[P + "embedding_length"] = tc.hidden_size
    if getattr(tc, "use_double_wide_mlp", False) and shared:
        kv[P + "feed_forward_length"] = [
            tc.intermediate_size * (2 if i >= L - shared else 1) for i in range(L)
        ]
    else:
        kv[P + "feed_forward_length"] = tc.intermediate_size
    kv[P + "context_length"] = tc.max_position_embeddings
    kv[P + "attention.head_count"] = tc.num_attention_heads
    if gkv != skv:
        kv[P + "attention.head_count_kv"] = [skv if t == "sliding_attention" else gkv for t in tc.layer_types]
    else:
        kv[P + "attention.head_count_kv"] = skv
    kv[P + "attention.key_length"] = kv[P + "attention.value_length"] = hd
    kv[P + "attention.key_length_swa"] = kv[P + "attention.value_length_swa"] = shd
    kv[P + "attention.layer_norm_rms_epsilon"] = float(tc.rms_norm_eps)
    kv[P + "attention.sliding_window"] = tc.sliding_window
    kv[P + "attention.sliding_window_pattern"] = [t == "sliding_attention" for t in tc.layer_types]
    kv[P + "attention.shared_kv_layers"] = shared
    kv[P + "rope.freq_base"] = float(tc.rope_parameters["full_attention"]["rope_theta"])
    kv[P + "rope.dimension_count"] = hd
    kv[P + "rope.freq_base_swa"] = float(tc.rope_parameters["sliding_attention"]["rope_theta"])
    kv[P + "rope.dimension_count_swa"] = shd
    kv[P + "final_logit_softcapping"] = float(tc.final_logit_softcapping)
    kv[P + "embedding_length_per_layer_input"] = getattr(tc, "hidden_size_per_layer_input", 0) or 0
    vc, ac = getattr(cfg, "vision_config", None), getattr(cfg, "audio_config", None)
    if vc is not None and arch == "gemma4":
        kv[P + "vision.block_count"] = vc.num_hidden_layers
        kv[P + "vision.embedding_length"] = vc.hidden_size
        kv[P + "vision.attention.head_count"] = vc.num_attention_heads
        kv[P + "vision.feed_forward_length"] = vc.intermediate_size
        kv[P + "vision.patch_size"] = vc.patch_size
        kv[P + "vision.num_channels"] = 3
        kv[P + "vision.projector.scale_factor"] = vc.pooling_kernel_size
        kv[P + "vision.attention.layer_norm_epsilon"] = 1e-6
    if ac is not None:
        kv[P + "audio.block_count"] = ac.num_hidden_layers
        kv[P + "audio.embedding_length"] = ac.hidden_size
        kv[P + "audio.feed_forward_length"] = ac.hidden_size * 4
        kv[P + "audio.attention.head_count"] = ac.num_attention_heads
        kv[P + "audio.attention.layer_norm_epsilon"] = 1e-6
        kv[P + "audio.conv_kernel_size"] = ac.conv_kernel_size
    return kv


def add_kv(w, kv):
    for k in sorted(kv):
        v = kv[k]
        if isinstance(v, bool):
            w.add_bool(k, v)
        elif isinstance(v, str):
            w.add_string(k, v)
        elif isinstance(v, float):
            w.add_float32(k, v)
        elif isinstance(v, int):
            w.add_uint32(k, v)
        elif isinstance(v, list):
            sub = (
                T.BOOL
                if isinstance(v[0], bool)
                else T.STRING
                if isinstance(v[0], str)
                else T.FLOAT32
                if isinstance(v[0], float)
                else T.INT32
            )
            w.add_key_value(k, v, T.ARRAY, sub_type=sub)
        else:
            raise TypeError(k)


def to_raw(a, kind):
    if kind == Q.F32:
        return a.astype(np.float32)
    if kind == Q.F16:
        return a.astype(np.float16)
    return gguf.quants.quantize(a.astype(np.float32), kind)


def write(path, arch, kv, tensors):
    """tensors: [(name, array, kind)]; array is f32 for plain kinds or raw uint8 rows (kind given)."""
    w = GGUFWriter(path, arch)
    kv = {k: v for k, v in kv.items() if k != "general.architecture"}
    add_kv(w, kv)
    for name, a, kind in tensors:
        raw = a if a.dtype == np.uint8 else to_raw(a, kind)
        w.add_tensor(name, raw, raw_dtype=kind)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def read(path):
    """-> (reader, {name: (raw array, kind, dequantised f32 array in torch shape)})"""
    r = gguf.GGUFReader(path)
    d = {}
    for t in r.tensors:
        f = (
            gguf.quants.dequantize(t.data, t.tensor_type)
            if t.tensor_type not in (Q.F32, Q.F16)
            else np.asarray(t.data, np.float32)
        )
        d[t.name] = (
            np.array(t.data),
            t.tensor_type,
            np.array(f, np.float32).reshape(tuple(reversed([int(x) for x in t.shape]))),
        )
    return r, d
