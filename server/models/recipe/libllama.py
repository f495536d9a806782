"""The few calls of libllama that the recipe needs, through ctypes: quantise a file, decode tokens.

LLAMA_LIB_DIR names the folder with the shared libraries libllama and libggml*. The structures below are those of the
llama.h in llama_cpp_python 0.3.36 (llama.cpp v0.5.0); another version may lay them out differently.
"""

import ctypes as C
import glob
import os
import numpy as np

P, I32, U32, F32, B, SZ = C.c_void_p, C.c_int32, C.c_uint32, C.c_float, C.c_bool, C.c_size_t


class ModelParams(C.Structure):
    _fields_ = [
        ("devices", P),
        ("tensor_buft_overrides", P),
        ("n_gpu_layers", I32),
        ("split_mode", I32),
        ("load_mode", I32),
        ("lazy_mode", I32),
        ("main_gpu", I32),
        ("tensor_split", P),
        ("progress_callback", P),
        ("progress_callback_user_data", P),
        ("kv_overrides", P),
        ("vocab_only", B),
        ("check_tensors", B),
        ("use_extra_bufts", B),
        ("no_host", B),
        ("no_alloc", B),
        ("load_mtp", B),
    ]


class ContextParams(C.Structure):
    _fields_ = [
        ("n_ctx", U32),
        ("n_batch", U32),
        ("n_ubatch", U32),
        ("n_seq_max", U32),
        ("n_rs_seq", U32),
        ("n_outputs_max", U32),
        ("n_outputs_max_per_seq", U32),
        ("n_threads", I32),
        ("n_threads_batch", I32),
        ("ctx_type", I32),
        ("rope_scaling_type", I32),
        ("pooling_type", I32),
        ("attention_type", I32),
        ("flash_attn_type", I32),
        ("rope_freq_base", F32),
        ("rope_freq_scale", F32),
        ("yarn_ext_factor", F32),
        ("yarn_attn_factor", F32),
        ("yarn_beta_fast", F32),
        ("yarn_beta_slow", F32),
        ("yarn_orig_ctx", U32),
        ("defrag_thold", F32),
        ("cb_eval", P),
        ("cb_eval_user_data", P),
        ("type_k", I32),
        ("type_v", I32),
        ("abort_callback", P),
        ("abort_callback_data", P),
        ("embeddings", B),
        ("offload_kqv", B),
        ("no_perf", B),
        ("op_offload", B),
        ("swa_full", B),
        ("kv_unified", B),
        ("samplers", P),
        ("n_samplers", SZ),
        ("ctx_other", P),
    ]


class QuantParams(C.Structure):
    _fields_ = [
        ("nthread", I32),
        ("ftype", I32),
        ("output_tensor_type", I32),
        ("token_embedding_type", I32),
        ("allow_requantize", B),
        ("quantize_output_tensor", B),
        ("only_copy", B),
        ("pure", B),
        ("keep_split", B),
        ("dry_run", B),
        ("imatrix", P),
        ("kv_overrides", P),
        ("tt_overrides", P),
        ("prune_layers", P),
        ("max_buf_size", SZ),
    ]


class Batch(C.Structure):
    _fields_ = [
        ("n_tokens", I32),
        ("token", C.POINTER(I32)),
        ("embd", C.POINTER(F32)),
        ("pos", C.POINTER(I32)),
        ("n_seq_id", C.POINTER(I32)),
        ("seq_id", C.POINTER(C.POINTER(I32))),
        ("logits", C.POINTER(C.c_int8)),
    ]


_L = None
FTYPE = {"q4_0": 2, "q8_0": 7, "q4_k_m": 15, "q6_k": 18, "bf16": 32}


def lib():
    global _L
    if _L is None:
        d = os.environ.get("LLAMA_LIB_DIR", "")
        if not glob.glob(os.path.join(d, "libllama*.so")):
            raise SystemExit(f"LLAMA_LIB_DIR must name the folder that holds libllama.so; it is {d!r}")
        for pat in ("libggml-base.so", "libggml-cpu.so", "libggml.so", "libggml.v*.so"):
            for f in glob.glob(os.path.join(d, pat)):
                C.CDLL(f, mode=C.RTLD_GLOBAL)
        L = C.CDLL(
            (glob.glob(os.path.join(d, "libllama.v*.so")) + glob.glob(os.path.join(d, "libllama.so")))[0],
            mode=C.RTLD_GLOBAL,
        )
        g = (glob.glob(os.path.join(d, "libggml.v*.so")) + glob.glob(os.path.join(d, "libggml.so")))[0]
        try:
            gl = C.CDLL(g)
            gl.ggml_backend_load_all_from_path.argtypes = [C.c_char_p]
            gl.ggml_backend_load_all_from_path(d.encode())
        except AttributeError:
            pass
        for n, r, a in (
            ("llama_model_default_params", ModelParams, []),
            ("llama_context_default_params", ContextParams, []),
            ("llama_model_quantize_default_params", QuantParams, []),
            ("llama_model_load_from_file", P, [C.c_char_p, ModelParams]),
            ("llama_init_from_model", P, [P, ContextParams]),
            ("llama_model_get_vocab", P, [P]),
            ("llama_free", None, [P]),
            ("llama_model_free", None, [P]),
            ("llama_vocab_n_tokens", I32, [P]),
            ("llama_get_memory", P, [P]),
            ("llama_memory_clear", None, [P, B]),
            ("llama_set_causal_attn", None, [P, B]),
            ("llama_tokenize", I32, [P, C.c_char_p, I32, C.POINTER(I32), I32, B, B]),
            ("llama_batch_init", Batch, [I32, I32, I32]),
            ("llama_decode", I32, [P, Batch]),
            ("llama_get_logits_ith", C.POINTER(F32), [P, I32]),
            ("llama_model_quantize", U32, [C.c_char_p, C.c_char_p, C.POINTER(QuantParams)]),
        ):
            f = getattr(L, n)
            f.restype = r
            f.argtypes = a
        L.llama_backend_init()
        if os.environ.get("LLAMA_QUIET", "1") == "1":
            CB = C.CFUNCTYPE(None, I32, C.c_char_p, P)
            L._quiet = CB(lambda l, t, u: None)
            L.llama_log_set(L._quiet, None)
        _L = L
    return _L


def quantize(src, dst, ftype, pure=False):
    L = lib()
    q = L.llama_model_quantize_default_params()
    q.ftype, q.nthread, q.pure = FTYPE[ftype], 2, pure
    r = L.llama_model_quantize(src.encode(), dst.encode(), C.byref(q))
    if r != 0:
        raise SystemExit(f"libllama could not quantise {src} to {ftype}: error {r}")


class Model:
    def __init__(self, path, n_ctx=512, flash=0, kv_f32=True):
        L = lib()
        mp = L.llama_model_default_params()
        mp.n_gpu_layers = 0
        mp.use_extra_bufts = False
        self.m = L.llama_model_load_from_file(path.encode(), mp)
        if not self.m:
            raise SystemExit(f"libllama could not load {path}")
        cp = L.llama_context_default_params()
        cp.n_ctx = cp.n_batch = cp.n_ubatch = n_ctx
        cp.n_threads = cp.n_threads_batch = 2
        cp.flash_attn_type = flash
        if kv_f32:
            cp.type_k = cp.type_v = 0
        self.c = L.llama_init_from_model(self.m, cp)
        if not self.c:
            raise SystemExit(f"libllama has no memory for a context of {n_ctx} tokens")
        self.v = L.llama_model_get_vocab(self.m)
        self.n_vocab = L.llama_vocab_n_tokens(self.v)
        self.n_ctx = n_ctx

    def clear(self):
        lib().llama_memory_clear(lib().llama_get_memory(self.c), True)

    def decode(self, ids, pos0=0, embd=None):
        """logits of every position; ids: tokens, or embd: float32 [n, d]"""
        L = lib()
        n = len(ids) if embd is None else len(embd)
        b = L.llama_batch_init(n, 0 if embd is None else embd.shape[1], 1)
        b.n_tokens = n
        for i in range(n):
            if embd is None:
                b.token[i] = ids[i]
            b.pos[i] = pos0 + i
            b.n_seq_id[i] = 1
            b.seq_id[i][0] = 0
            b.logits[i] = 1
        if embd is not None:
            e = np.ascontiguousarray(embd, np.float32)
            C.memmove(b.embd, e.ctypes.data, e.nbytes)
        assert L.llama_decode(self.c, b) == 0
        return np.stack(
            [
                np.ctypeslib.as_array(L.llama_get_logits_ith(self.c, i), (self.n_vocab,)).copy()
                for i in range(n)
            ]
        )
