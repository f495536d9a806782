"""Compares model.py with transformers on random weights: pictures, log-mel features, sound, logits.

python check_model.py
"""

import argparse
import sys

import config as C

# The largest difference that rounding in f32 explains.
MOST = 1e-4


def differences():
    import numpy as np
    import torch
    from transformers import Gemma4AudioFeatureExtractor, Gemma4ForConditionalGeneration

    import model

    apart = {}
    torch.manual_seed(0)
    torch.set_num_threads(2)
    m = model.Pebble()
    with torch.no_grad():
        for p in m.parameters():
            if p.ndim == 1:
                p.add_(torch.randn_like(p) * 0.1)
    hf = Gemma4ForConditionalGeneration(C.hf_config()).float().eval()
    hf.set_attn_implementation("eager")
    sd = {"model." + k: v for k, v in m.state_dict().items()}
    r = hf.load_state_dict(sd, strict=False)
    missing = [
        k for k in r.missing_keys if not k.endswith(("_min", "_max", "layer_scalar", "lm_head.weight"))
    ]
    assert not missing and not r.unexpected_keys, (missing, r.unexpected_keys)
    hf.tie_weights()
    img = torch.rand(2, 3, 96, 144)
    with torch.no_grad():
        B, _, H, W = img.shape
        gh, gw = H // 16, W // 16
        pv = img.view(B, 3, gh, 16, gw, 16).permute(0, 2, 4, 3, 5, 1).reshape(B, gh * gw, 768)
        yy, xx = torch.meshgrid(torch.arange(gh), torch.arange(gw), indexing="ij")
        pos = torch.stack((xx.flatten(), yy.flatten()), -1)[None].expand(B, -1, -1)
        f = torch.cat(hf.model.get_image_features(pv, pos, return_dict=True).pooler_output)
        mine = m.image(img).view(-1, C.D)
        apart["image"] = (f - mine).abs().max().item()
        wav = np.random.RandomState(0).randn(16000 * 2).astype(np.float32) * 0.1
        fe = Gemma4AudioFeatureExtractor()
        o = fe([wav], return_tensors="pt", sampling_rate=16000)
        mel, mm = model.logmel(torch.tensor(wav)[None], torch.tensor([len(wav)]), model.mel_filters("cpu"))
        n = int(o["input_features_mask"].sum())
        assert n == int(mm.sum()), (n, int(mm.sum()))
        apart["mel"] = (o["input_features"][0, :n] - mel[0, :n]).abs().max().item()
        ao = hf.model.get_audio_features(o["input_features"], o["input_features_mask"], return_dict=True)
        af = ao.pooler_output[0][ao.attention_mask[0]]
        x, am = m.audio(mel, mm)
        apart["audio"] = (af - x[am]).abs().max().item()
        ids = torch.randint(110, 3000, (1, 700))
        ids[0, 5 : 5 + mine.shape[0] // 2] = C.IDS["image"]
        l1 = hf(
            input_ids=ids,
            pixel_values=pv[:1],
            image_position_ids=pos[:1],
            mm_token_type_ids=(ids == C.IDS["image"]).int(),
        ).logits
        l2 = m.language_model.logits(
            m.language_model(ids, m.image(img[:1]), torch.tensor([5]), torch.tensor([mine.shape[0] // 2]))
        )
        apart["logits"] = (l1 - l2).abs().max().item()
    return apart


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    apart = differences()
    for part, difference in apart.items():
        print(f"{part}: {difference:.1e}")
    sys.exit(max(apart.values()) > MOST)


if __name__ == "__main__":
    main()
