"""Compact PyTorch training implementation of the Gemma 4 (E-series) architecture.

Parameter names equal those of transformers' Gemma4ForConditionalGeneration (without the `model.` prefix), so the
trained weights load there directly. The clipped linears are trained without clamps; export.py calibrates them.
"""

import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from config import *

EPS = 1e-6


class Norm(nn.Module):
    def __init__(s, d, init=1.0):
        super().__init__()
        s.weight = nn.Parameter(torch.full((d,), float(init)))

    def forward(s, x):
        return F.rms_norm(x, (x.shape[-1],), s.weight.to(x.dtype), EPS)


def rms(x):
    return F.rms_norm(x, (x.shape[-1],), None, EPS)


def lin(i, o, std=None):
    l = nn.Linear(i, o, bias=False)
    nn.init.normal_(l.weight, std=std or i**-0.5)
    return l


class CLin(nn.Module):
    """clippable linear; `rec` collects ranges during calibration"""

    rec = None

    def __init__(s, i, o):
        super().__init__()
        s.linear = lin(i, o)

    def forward(s, x):
        y = s.linear(x)
        if CLin.rec is not None:
            r = CLin.rec.setdefault(id(s), [0.0, 0.0, 0.0, 0.0])
            v = (x.min(), x.max(), y.min(), y.max())
            for k in (0, 2):
                r[k] = min(r[k], float(v[k]))
                r[k + 1] = max(r[k + 1], float(v[k + 1]))
        return y


def rot(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


# ------------------------------------------------------------------ text
class Attn(nn.Module):
    def __init__(s, i):
        super().__init__()
        s.full = PATTERN[i] == "G"
        s.hd = HD_G if s.full else HD_S
        s.shared = i >= L - SHARED
        s.q_proj = lin(D, NH * s.hd)
        s.o_proj = lin(NH * s.hd, D)
        s.q_norm = Norm(s.hd, s.hd**-0.25)
        if not s.shared:
            s.k_proj = lin(D, s.hd)
            s.v_proj = lin(D, s.hd)
            s.k_norm = Norm(s.hd, s.hd**-0.25)

    def forward(s, x, cs, kv, mask, at=None):
        """`kv` are the keys and values of the layer that this one shares with. With `at` [B], x is one token a row at that
        position, and the `kv` of a layer with keys of its own are those of all positions: the token's are put among them."""
        B, T, _ = x.shape
        cos, sin = cs
        q = rot(s.q_norm(s.q_proj(x).view(B, T, NH, s.hd)).transpose(1, 2), cos, sin)
        if s.shared:
            k, v = kv
        else:
            k = rot(s.k_norm(s.k_proj(x).view(B, T, 1, s.hd)).transpose(1, 2), cos, sin)
            v = rms(s.v_proj(x).view(B, T, 1, s.hd)).transpose(1, 2)
            if at is not None:
                rows = torch.arange(B, device=x.device)
                kv[0][rows, 0, at], kv[1][rows, 0, at] = k[:, 0, 0], v[:, 0, 0]
                k, v = kv
        if at is not None:  # the heads as rows of one product: the keys are the same for all
            o = F.scaled_dot_product_attention(q.transpose(1, 2), k, v, attn_mask=mask, scale=1.0)
            return s.o_proj(o.reshape(B, T, -1)), (k, v)
        o = F.scaled_dot_product_attention(
            q,
            k.expand(-1, NH, -1, -1),
            v.expand(-1, NH, -1, -1),
            attn_mask=mask,
            is_causal=mask is None,
            scale=1.0,
        )
        return s.o_proj(o.transpose(1, 2).reshape(B, T, -1)), (k, v)


class MLP(nn.Module):
    def __init__(s, i):
        super().__init__()
        f = FF * (2 if i >= L - SHARED else 1)
        s.gate_proj = lin(D, f)
        s.up_proj = lin(D, f)
        s.down_proj = lin(f, D)

    def forward(s, x):
        return s.down_proj(F.gelu(s.gate_proj(x), approximate="tanh") * s.up_proj(x))


class Layer(nn.Module):
    def __init__(s, i):
        super().__init__()
        s.self_attn = Attn(i)
        s.mlp = MLP(i)
        s.input_layernorm = Norm(D)
        s.post_attention_layernorm = Norm(D, 0.5)
        s.pre_feedforward_layernorm = Norm(D)
        s.post_feedforward_layernorm = Norm(D, 0.5)
        s.per_layer_input_gate = lin(D, P)
        s.per_layer_projection = lin(P, D)
        s.post_per_layer_input_norm = Norm(D, 0.3)

    def forward(s, h, ple, cs, kv, mask, at=None):
        o, kv = s.self_attn(s.input_layernorm(h), cs, kv, mask, at)
        h = h + s.post_attention_layernorm(o)
        h = h + s.post_feedforward_layernorm(s.mlp(s.pre_feedforward_layernorm(h)))
        return h + s.post_per_layer_input_norm(
            s.per_layer_projection(F.gelu(s.per_layer_input_gate(h), approximate="tanh") * ple)
        ), kv


class Text(nn.Module):
    def __init__(s):
        super().__init__()
        s.embed_tokens = nn.Embedding(VOCAB, D)
        nn.init.normal_(s.embed_tokens.weight, std=D**-0.5)
        s.embed_tokens_per_layer = nn.Embedding(VOCAB, L * P)
        nn.init.normal_(s.embed_tokens_per_layer.weight, std=P**-0.5)
        s.per_layer_model_projection = lin(D, L * P)
        s.per_layer_projection_norm = Norm(P)
        s.layers = nn.ModuleList(Layer(i) for i in range(L))
        s.norm = Norm(D)

    def ropes(s, T, dev, dt):
        p = torch.arange(T, device=dev).float()[:, None]
        out = []
        for hd, base, n in ((HD_S, 1e4, HD_S // 2), (HD_G, 1e6, HD_G // 8)):
            f = base ** (-2 * torch.arange(hd // 2, device=dev).float() / hd)
            f[n:] = 0
            a = torch.cat((p * f, p * f), -1)
            out.append((a.cos().to(dt), a.sin().to(dt)))
        return out

    def forward(s, ids, soft=None, start=None, n=None):
        return s.run(ids, soft, start, n)[0]

    def run(s, ids, soft=None, start=None, n=None, past=None, at=None):
        """-> hidden states after the final norm, and the keys and values of the layers that have their own. To go on from
        those, give them as `past`, with room for what comes, and one token a row with its position `at` [B].

        ids [B,T]; soft [B,N,D]: its first n[b] rows replace the embeddings at start[b] (soft tokens use id 0 for the per-layer table).
        For several places a row, start and n are [places,B], and the rows of `soft` are used up in that order."""
        B, T = ids.shape
        dt = torch.bfloat16 if torch.is_autocast_enabled() else torch.float32
        h = (s.embed_tokens(ids) * D**0.5).to(dt)
        pid = ids
        if soft is not None:
            j, used = torch.full_like(ids, -1), 0
            for first, k in zip(start.view(-1, B, 1), n.view(-1, B, 1)):
                i = torch.arange(T, device=ids.device)[None] - first
                j = torch.where((i >= 0) & (i < k), i + used, j)
                used = used + k
            inside = j >= 0
            rows = soft.to(dt).gather(1, j.clamp(min=0)[..., None].expand(B, T, D))
            h = torch.where(inside[..., None], rows, h)
            pid = ids.masked_fill(inside, 0)
        a = (s.embed_tokens_per_layer(pid) * P**0.5).to(dt).view(B, T, L, P)
        b = s.per_layer_projection_norm((s.per_layer_model_projection(h) * D**-0.5).view(B, T, L, P))
        ple = (a + b) * 2**-0.5
        all = T if past is None else past[0][0].shape[2]
        rs, rg = s.ropes(all, ids.device, dt)
        i = torch.arange(all, device=ids.device)
        mg = ms = None
        if at is not None:
            rs, rg = ([x[at][:, None, None] for x in r] for r in (rs, rg))
            d = (at[:, None] - i)[:, None, None]
            mg, ms = d >= 0, (d >= 0) & (d < WINDOW)
        elif T > WINDOW:
            ms = (i[:, None] >= i) & (i[:, None] - i < WINDOW)
        kvs, own = {}, []
        for i, l in enumerate(s.layers):
            c = PATTERN[i]
            before = past[i] if past is not None and i < L - SHARED else kvs.get(c)
            h, kv = l(h, ple[:, :, i], rg if c == "G" else rs, before, mg if c == "G" else ms, at)
            if i < L - SHARED:
                kvs[c] = kv
                own.append(kv)
        return s.norm(h), own

    def logits(s, h):
        z = F.linear(h, s.embed_tokens.weight.to(h.dtype)).float()
        return 30 * torch.tanh(z / 30)


# ------------------------------------------------------------------ vision
class VAttn(nn.Module):
    def __init__(s):
        super().__init__()
        s.q_proj = CLin(VD, VH * 64)
        s.k_proj = CLin(VD, VH * 64)
        s.v_proj = CLin(VD, VH * 64)
        s.o_proj = CLin(VH * 64, VD)
        s.q_norm = Norm(64, 64**-0.25)
        s.k_norm = Norm(64, 64**-0.25)

    def forward(s, x, cs):
        B, T, _ = x.shape
        cos, sin = cs

        def r(y):
            a, b = y.chunk(2, -1)
            ca, cb = cos.chunk(2, -1)
            sa, sb = sin.chunk(2, -1)
            return torch.cat((rot(a, ca, sa), rot(b, cb, sb)), -1)

        q = r(s.q_norm(s.q_proj(x).view(B, T, VH, 64)).transpose(1, 2))
        k = r(s.k_norm(s.k_proj(x).view(B, T, VH, 64)).transpose(1, 2))
        v = rms(s.v_proj(x).view(B, T, VH, 64)).transpose(1, 2)
        return s.o_proj(F.scaled_dot_product_attention(q, k, v, scale=1.0).transpose(1, 2).reshape(B, T, -1))


class VMLP(nn.Module):
    def __init__(s):
        super().__init__()
        s.gate_proj = CLin(VD, VFF)
        s.up_proj = CLin(VD, VFF)
        s.down_proj = CLin(VFF, VD)

    def forward(s, x):
        return s.down_proj(F.gelu(s.gate_proj(x), approximate="tanh") * s.up_proj(x))


class VLayer(nn.Module):
    def __init__(s):
        super().__init__()
        s.self_attn = VAttn()
        s.mlp = VMLP()
        s.input_layernorm = Norm(VD)
        s.post_attention_layernorm = Norm(VD, 0.7)
        s.pre_feedforward_layernorm = Norm(VD)
        s.post_feedforward_layernorm = Norm(VD, 0.7)

    def forward(s, h, cs):
        h = h + s.post_attention_layernorm(s.self_attn(s.input_layernorm(h), cs))
        return h + s.post_feedforward_layernorm(s.mlp(s.pre_feedforward_layernorm(h)))


class Vision(nn.Module):
    def __init__(s):
        super().__init__()
        pe = nn.Module()
        pe.input_proj = lin(768, VD)
        pe.position_embedding_table = nn.Parameter(torch.randn(2, VPOS, VD) * 0.02)
        enc = nn.Module()
        enc.layers = nn.ModuleList(VLayer() for _ in range(VL))
        s.patch_embedder, s.encoder = pe, enc

    def forward(s, img):
        """img [B,3,H,W] in 0..1, H and W multiples of 48 -> [B, H/48*W/48, VD]"""
        B, _, H, W = img.shape
        gh, gw = H // 16, W // 16
        dt = torch.bfloat16 if torch.is_autocast_enabled() else torch.float32
        x = img.view(B, 3, gh, 16, gw, 16).permute(0, 2, 4, 3, 5, 1).reshape(B, gh * gw, 768)
        pos = s.patch_embedder.position_embedding_table
        h = (
            s.patch_embedder.input_proj((2 * (x - 0.5)).to(dt)).view(B, gh, gw, VD)
            + pos[0, :gw].to(dt)
            + pos[1, :gh, None].to(dt)
        )
        h = h.view(B, gh * gw, VD)
        f = 100.0 ** (-2 * torch.arange(16, device=img.device).float() / 32)
        ax = torch.arange(gw, device=img.device).float()[None, :, None] * f
        ay = torch.arange(gh, device=img.device).float()[:, None, None] * f
        ax = ax.expand(gh, gw, 16).reshape(-1, 16)
        ay = ay.expand(gh, gw, 16).reshape(-1, 16)
        a = torch.cat((ax, ax, ay, ay), -1)
        cs = (a.cos().to(dt), a.sin().to(dt))
        for l in s.encoder.layers:
            h = l(h, cs)
        p = h.float().view(B, gh // 3, 3, gw // 3, 3, VD).mean((2, 4)).view(B, -1, VD) * VD**0.5
        return p


# ------------------------------------------------------------------ audio
class ASub(nn.Module):
    def __init__(s, i, o):
        super().__init__()
        s.conv = nn.Conv2d(i, o, 3, 2, 1, bias=False)
        s.norm = nn.LayerNorm(o, eps=EPS, bias=False)

    def forward(s, x, m):
        x = s.conv(x * m[:, None, :, None].to(x.dtype))
        return F.relu(s.norm(x.permute(0, 2, 3, 1))).permute(0, 3, 1, 2), m[:, ::2]


class AFF(nn.Module):
    def __init__(s):
        super().__init__()
        s.ffw_layer_1 = CLin(AD, 4 * AD)
        s.ffw_layer_2 = CLin(4 * AD, AD)
        s.pre_layer_norm = Norm(AD)
        s.post_layer_norm = Norm(AD)

    def forward(s, x):
        return x + 0.5 * s.post_layer_norm(s.ffw_layer_2(F.silu(s.ffw_layer_1(s.pre_layer_norm(x)))))


class AAttn(nn.Module):
    def __init__(s):
        super().__init__()
        s.q_proj = CLin(AD, AD)
        s.k_proj = CLin(AD, AD)
        s.v_proj = CLin(AD, AD)
        s.post = CLin(AD, AD)
        s.relative_k_proj = lin(AD, AD)
        s.per_dim_scale = nn.Parameter(torch.zeros(AD // AH))

    def forward(s, x, pe):
        B, T, _ = x.shape
        hd = AD // AH
        q = (
            s.q_proj(x).float().view(B, T, AH, hd).transpose(1, 2)
            * (hd**-0.5 / math.log(2))
            * F.softplus(s.per_dim_scale)
        )
        k = s.k_proj(x).float().view(B, T, AH, hd).transpose(1, 2) * (math.log(1 + math.e) / math.log(2))
        v = s.v_proj(x).float().view(B, T, AH, hd).transpose(1, 2)
        r = s.relative_k_proj(pe).float().view(13, AH, hd).transpose(0, 1)  # row d = distance d
        i = torch.arange(T, device=x.device)
        d = i[:, None] - i
        w = q @ k.transpose(-1, -2) + (q @ r.transpose(-1, -2)).gather(-1, d.clamp(0, 12).expand(B, AH, T, T))
        w = (50 * torch.tanh(w / 50)).masked_fill((d < 0) | (d >= 12), -1e9).softmax(-1)
        return s.post((w @ v).transpose(1, 2).reshape(B, T, AD).to(x.dtype))


class ALConv(nn.Module):
    def __init__(s):
        super().__init__()
        s.linear_start = CLin(AD, 2 * AD)
        s.linear_end = CLin(AD, AD)
        s.depthwise_conv1d = nn.Conv1d(AD, AD, 5, groups=AD, bias=False)
        s.pre_layer_norm = Norm(AD)
        s.conv_norm = Norm(AD)

    def forward(s, x):
        y = F.glu(s.linear_start(s.pre_layer_norm(x)), -1)
        y = s.depthwise_conv1d(F.pad(y.transpose(1, 2), (4, 0))).transpose(1, 2)
        return x + s.linear_end(F.silu(s.conv_norm(y)))


class ALayer(nn.Module):
    def __init__(s):
        super().__init__()
        s.feed_forward1 = AFF()
        s.feed_forward2 = AFF()
        s.self_attn = AAttn()
        s.lconv1d = ALConv()
        s.norm_pre_attn = Norm(AD)
        s.norm_post_attn = Norm(AD)
        s.norm_out = Norm(AD)

    def forward(s, x, pe):
        x = s.feed_forward1(x)
        x = x + s.norm_post_attn(s.self_attn(s.norm_pre_attn(x), pe))
        return s.norm_out(s.feed_forward2(s.lconv1d(x)))


class Audio(nn.Module):
    def __init__(s):
        super().__init__()
        c = nn.Module()
        c.layer0 = ASub(1, ACONV[0])
        c.layer1 = ASub(*ACONV)
        c.input_proj_linear = lin(32 * ACONV[1], AD)
        s.subsample_conv_projection = c
        s.layers = nn.ModuleList(ALayer() for _ in range(AL))
        s.output_proj = nn.Linear(AD, AOUT)
        nn.init.zeros_(s.output_proj.bias)
        nn.init.normal_(s.output_proj.weight, std=AD**-0.5)

    def forward(s, mel, m):
        """mel [B,T,128], m [B,T] bool -> [B,ceil(T/4),AOUT], mask"""
        dt = torch.bfloat16 if torch.is_autocast_enabled() else torch.float32
        c = s.subsample_conv_projection
        x, m = c.layer0(mel.to(dt)[:, None], m)
        x, m = c.layer1(x, m)
        B, _, T, _ = x.shape
        x = c.input_proj_linear(x.permute(0, 2, 3, 1).reshape(B, T, -1))
        n = AD // 2
        tau = torch.exp(torch.arange(n, device=x.device).float() * -(math.log(10000.0) / (n - 1)))
        a = torch.arange(13, device=x.device).float()[:, None] * tau
        pe = torch.cat((a.sin(), a.cos()), -1).to(dt)
        for l in s.layers:
            x = l(x, pe)
        return s.output_proj(x), m


class Embedder(nn.Module):
    def __init__(s, i):
        super().__init__()
        s.embedding_projection = lin(i, D)

    def forward(s, x):
        return s.embedding_projection(rms(x))


class Pebble(nn.Module):
    def __init__(s):
        super().__init__()
        s.language_model = Text()
        s.vision_tower = Vision()
        s.audio_tower = Audio()
        s.embed_vision = Embedder(VD)
        s.embed_audio = Embedder(AOUT)

    def image(s, img):
        return s.embed_vision(s.vision_tower(img))

    def audio(s, mel, m):
        x, m = s.audio_tower(mel, m)
        return s.embed_audio(x), m


# ------------------------------------------------------------------ log-mel features
def mel_filters(dev):
    e = torch.linspace(0, 2595 * math.log10(1 + 8000 / 700), 130, dtype=torch.float64)
    f = 700 * (10 ** (e / 2595) - 1)
    k = torch.arange(257, dtype=torch.float64) * 8000 / 256
    l, c, r = f[:-2], f[1:-1], f[2:]
    return (
        torch.clamp(torch.minimum((k[:, None] - l) / (c - l), (r - k[:, None]) / (r - c)), min=0)
        .float()
        .to(dev)
    )


def logmel(wav, lens, M, eq=None):
    """wav [B,S] 16 kHz, lens [B] samples -> features [B,T,128], mask [B,T]"""
    x = F.pad(wav, (160, 0))
    n = (x.shape[1] - 321) // 160 + 1
    fr = x.unfold(1, 321, 160)[..., :320]
    w = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(320, device=wav.device) / 320)
    mag = torch.fft.rfft(fr * w, n=512).abs() @ M
    if eq is not None:
        mag = mag * eq[:, None]
    valid = (torch.arange(n, device=wav.device) * 160 + 320)[None] < (lens + 160)[:, None]
    return torch.log(mag + 0.001) * valid[..., None], valid
