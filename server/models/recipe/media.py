"""Pictures drawn from scene specifications, and augmented speech, both on the device that trains."""

import math
import torch
import torch.nn.functional as F

RGB = torch.tensor(
    [
        [0.86, 0.08, 0.1],
        [0.1, 0.65, 0.15],
        [0.12, 0.25, 0.88],
        [0.96, 0.86, 0.1],
        [0.97, 0.52, 0.05],
        [0.55, 0.12, 0.68],
        [0.05, 0.05, 0.06],
        [0.97, 0.97, 0.97],
    ]
)


def sdf(shape, x, y, rad, rot):
    """signed distance-like field (negative inside) of the five shapes, all as tensors [N,H,W]; shape, rad, rot [N,1,1]"""
    c, s = rot.cos(), rot.sin()
    u = (x * c + y * s) / rad
    v = (-x * s + y * c) / rad
    circle = (u * u + v * v).sqrt() - 0.95
    q = 0.84
    square = torch.maximum(u.abs(), v.abs()) - q
    k = 3**0.5
    tri = torch.maximum(
        v - 0.55, torch.maximum(k * u - v, -k * u - v) / 2 - 0.55
    )  # point up (v grows downwards)
    r = (u * u + v * v).sqrt()
    a = torch.atan2(u, -v)
    m = 2 * math.pi / 5
    a = (a + m / 2) % m - m / 2
    px, py = r * torch.cos(a), r * torch.sin(a).abs()
    ro, ri = 1.05, 0.43  # five-point star: edge from outer to inner vertex
    ax, ay = ro, 0.0
    bx, by = ri * math.cos(m / 2), ri * math.sin(m / 2)
    nx, ny = (by - ay), -(bx - ax)
    nl = math.hypot(nx, ny)
    star = ((px - ax) * nx + (py - ay) * ny) / nl
    w = 0.3
    cross = torch.minimum(
        torch.maximum(u.abs() - 0.95, v.abs() - w), torch.maximum(v.abs() - 0.95, u.abs() - w)
    )
    f = torch.stack((circle, square, tri, star, cross))
    return f.gather(0, shape.expand_as(circle)[None])[0] * rad


def render_images(spec, H, W, glyphs, gen):
    """spec: dict of tensors (B, ...); returns [B,3,H,W] in 0..1"""
    B = spec["kind"].shape[0]
    dev = spec["kind"].device
    R = lambda *s: torch.rand(*s, device=dev, generator=gen)
    sc = float(torch.empty(1).uniform_(math.log(0.22), math.log(1.6)).exp())
    h, w = max(40, round(H * sc)), max(40, round(W * sc))
    if R(1).item() < 0.3:
        h, w = H, W
    short = min(h, w)
    rgb = RGB.to(dev)
    # background: colour far from every object colour
    n = spec["n"]
    cols = torch.cat((spec["col"], spec["dcol"][:, None]), 1)
    used = torch.cat((torch.arange(3, device=dev)[None] < n[:, None], (spec["kind"] == 1)[:, None]), 1)
    jit = (rgb[cols] + (R(B, 4, 3) - 0.5) * 0.16).clamp(0, 1)
    cand = torch.cat(
        (
            R(B, 10, 3),
            torch.ones(B, 3, 3, device=dev) * (1 - R(B, 3, 1) * 0.12),
            R(B, 3, 1).expand(-1, -1, 3),
            R(B, 3, 3) * 0.2,
        ),
        1,
    )
    d = (cand[:, :, None] - jit[:, None]).norm(dim=-1).masked_fill(~used[:, None], 9).amin(-1)
    pr = (
        R(B, cand.shape[1])
        + (d > 0.45) * 10
        + (torch.arange(cand.shape[1], device=dev) >= 10) * 0.3 * R(B, 1)
    )
    i = pr.argmax(1)
    bg = cand[torch.arange(B, device=dev), i]
    y = torch.arange(h, device=dev).float()[None, :, None] + 0.5
    x = torch.arange(w, device=dev).float()[None, None, :] + 0.5
    ang = R(B, 1, 1) * 6.283
    grad = ((x / w - 0.5) * ang.cos() + (y / h - 0.5) * ang.sin()) * (R(B, 1, 1) < 0.35) * 0.5 * R(B, 1, 1)
    img = (bg[:, :, None, None] + grad[:, None]).clamp(0, 1)
    for k in range(3):
        on = (k < n).float()[:, None, None]
        cx = spec["cx"][:, k, None, None] * w
        cy = spec["cy"][:, k, None, None] * h
        rad = spec["rad"][:, k, None, None] * short
        sh = spec["shape"][:, k, None, None]
        rot = (R(B, 1, 1) - 0.5) * 0.5 * (R(B, 1, 1) < 0.6) + (R(B, 1, 1) < 0.08) * (
            R(B, 1, 1) - 0.5
        ) * 1.2 * (sh == 3)
        f = sdf(sh, x - cx, y - cy, rad, rot)
        a = (0.5 - f).clamp(0, 1) * on
        col = jit[:, k, :, None, None] * (1 + (R(B, 1, 1, 1) - 0.5) * 0.2 * (y / h)[:, None])
        img = img * (1 - a[:, None]) + col.clamp(0, 1) * a[:, None]
    dg = spec["kind"] == 1
    if dg.any():
        j = dg.nonzero()[:, 0]
        m = len(j)
        gl = (
            glyphs[torch.randint(0, glyphs.shape[0], (m,), device=dev, generator=gen), spec["digit"][j]][
                :, None
            ].float()
            / 255
        )
        r = spec["drad"][j] * short
        t = (R(m) - 0.5) * 0.45 * (R(m) < 0.7)
        st = 1 + (R(m) - 0.5) * 0.4
        dx = x - spec["dcx"][j, None, None] * w
        dy = y - spec["dcy"][j, None, None] * h
        c, s = t.cos()[:, None, None], t.sin()[:, None, None]
        gx = (dx * c + dy * s) / (r * st)[:, None, None]
        gy = (-dx * s + dy * c) / r[:, None, None]
        a = F.grid_sample(gl, torch.stack((gx, gy), -1), mode="bilinear", align_corners=False)
        sharp = 1.0 + R(m, 1, 1, 1) * 2
        a = ((a - 0.5) * sharp + 0.5).clamp(0, 1)
        img[j] = img[j] * (1 - a) + jit[j, 3, :, None, None] * a
    nz = (R(B, 1, 1, 1) < 0.4) * R(B, 1, 1, 1) ** 2 * 0.14
    img = (img + torch.randn(img.shape, device=dev, generator=gen) * nz).clamp(0, 1)
    if (h, w) != (H, W):
        img = F.interpolate(
            (img * 255).round() / 255, (H, W), mode="bicubic", antialias=True, align_corners=False
        )
    return ((img.clamp(0, 1) * 255).round()) / 255


def augment_audio(wav, lens, starts, S, gen, clean=False):
    """wav: flat int16 tensor; gathers B clips with speed change, offset, gain, noise -> [B,S], new lens"""
    B = lens.shape[0]
    dev = wav.device
    R = lambda *s: torch.rand(*s, device=dev, generator=gen)
    sp = torch.exp((R(B) - 0.5) * 0.36) * 1.0
    off = R(B) * 4800 * (R(B) < 0.7)
    tail = R(B) * 6400
    out = (lens / sp + off + tail).clamp(max=S).long()
    p = (torch.arange(S, device=dev)[None] - off[:, None]) * sp[:, None]
    ok = (p >= 0) & (p < lens[:, None] - 1)
    p = p.clamp(min=0)
    i = torch.minimum(p.floor().long(), (lens - 2)[:, None])
    f = p - i
    b = starts[:, None] + i
    x = (wav[b].float() * (1 - f) + wav[b + 1].float() * f) / 32768 * ok
    x = x * torch.exp(-R(B, 1) * 3.2)
    pw = x.pow(2).sum(1, keepdim=True).div(lens[:, None] / sp[:, None]).sqrt()
    nz = torch.randn(B, S, device=dev, generator=gen)
    nz = nz + (R(B, 1) < 0.5) * 2 * F.avg_pool1d(nz[:, None], 9, 1, 4)[:, 0]
    x = x + nz * pw * 10 ** (-(8 + R(B, 1) * 42) / 20) * (R(B, 1) < 0.75)
    # a little reverberation for some
    e = (R(B, 1) < 0.25) * R(B, 1) * 0.4
    dl = int(200 + torch.rand(1).item() * 1600)
    x = x + e * F.pad(x, (dl, 0))[:, :S]
    x = x.clamp(-1, 1) * (torch.arange(S, device=dev)[None] < out[:, None])
    k = torch.arange(128, device=dev)[None] / 127.0
    eq = torch.exp(
        (R(B, 1) - 0.5) * 2.4 * (k - 0.5)
        + (R(B, 1) - 0.5) * 0.8 * torch.sin(6.283 * (k * (1 + 2 * R(B, 1)) + R(B, 1)))
    )
    return x, out, eq
