"""Sizes of the demo model, its special token ids, and where the recipe keeps its data."""

from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
GLYPHS = DATA / "glyphs.npz"  # digits of free fonts; digits.py
TOKENIZER = DATA / "tok"  # tokenizer.py

VOCAB = 3072
TAIL = ["boi", "boa", "image", "audio", "eoi", "eoa", "video"]
IDS = {k: VOCAB - 7 + i for i, k in enumerate(TAIL)}
D, L, NH, HD_S, HD_G, FF, P = 256, 10, 4, 64, 128, 512, 32
PATTERN = "SSSSGSSSSG"
SHARED = 5  # trailing layers that reuse K/V (and have a double-wide MLP)
WINDOW, CTX = 512, 2048
DD, DFF, DPATTERN = 128, 512, "G"  # the drafter; drafter.py
DRAFTS = 4  # tokens a round that it is trained to draft
VD, VL, VH, VFF, VPOS = 128, 4, 2, 384, 512
AD, AL, AH, ACONV, AOUT = 128, 4, 1, (128, 32), 192


def hf_config():
    from transformers import Gemma4Config, Gemma4TextConfig, Gemma4VisionConfig, Gemma4AudioConfig

    lt = {"S": "sliding_attention", "G": "full_attention"}
    t = Gemma4TextConfig(
        vocab_size=VOCAB,
        vocab_size_per_layer_input=VOCAB,
        num_hidden_layers=L,
        layer_types=[lt[c] for c in PATTERN],
        hidden_size=D,
        intermediate_size=FF,
        num_attention_heads=NH,
        num_key_value_heads=1,
        head_dim=HD_S,
        global_head_dim=HD_G,
        sliding_window=WINDOW,
        hidden_size_per_layer_input=P,
        num_kv_shared_layers=SHARED,
        use_double_wide_mlp=True,
        final_logit_softcapping=30.0,
        max_position_embeddings=CTX,
        hidden_activation="gelu_pytorch_tanh",
        tie_word_embeddings=True,
        rope_parameters={
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {
                "rope_type": "proportional",
                "partial_rotary_factor": 0.25,
                "rope_theta": 1000000.0,
            },
        },
    )
    v = Gemma4VisionConfig(
        hidden_size=VD,
        intermediate_size=VFF,
        num_hidden_layers=VL,
        num_attention_heads=VH,
        num_key_value_heads=VH,
        head_dim=64,
        patch_size=16,
        pooling_kernel_size=3,
        position_embedding_size=VPOS,
        use_clipped_linears=True,
        standardize=False,
    )
    a = Gemma4AudioConfig(
        hidden_size=AD,
        num_hidden_layers=AL,
        num_attention_heads=AH,
        subsampling_conv_channels=list(ACONV),
        output_proj_dims=AOUT,
        use_clipped_linears=True,
    )
    return Gemma4Config(
        text_config=t,
        vision_config=v,
        audio_config=a,
        boi_token_id=IDS["boi"],
        eoi_token_id=IDS["eoi"],
        image_token_id=IDS["image"],
        video_token_id=IDS["video"],
        boa_token_id=IDS["boa"],
        eoa_token_index=IDS["eoa"],
        audio_token_id=IDS["audio"],
    )
