"""Speech synthesis with libespeak-ng through ctypes -> 16 kHz int16 clips."""

import ctypes as C
import numpy as np
from math import gcd

TRAIN_VOICES = [
    "en-us",
    "en",
    "en-gb-scotland",
    "en-gb-x-rp",
    "en-029",
    "en-us-nyc",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
]
VARIANTS = [
    "",
    "",
    "+m1",
    "+m2",
    "+m3",
    "+m4",
    "+m5",
    "+m6",
    "+m8",
    "+f1",
    "+f2",
    "+f3",
    "+f4",
    "+Alex",
    "+Andy",
    "+Annie",
    "+Denis",
    "+Hugo",
    "+Jacky",
    "+Lee",
    "+Marco",
    "+Mario",
    "+Michael",
    "+Mike",
    "+Storm",
    "+adam",
    "+anika",
    "+announcer",
    "+antonio",
    "+belinda",
    "+benjamin",
    "+boris",
    "+caleb",
    "+david",
    "+ed",
    "+edward",
    "+gustave",
    "+iven",
    "+john",
    "+kaukovalta",
    "+klatt",
    "+klatt2",
    "+linda",
    "+marcelo",
    "+max",
    "+miguel",
    "+norbert",
    "+pablo",
    "+paul",
    "+pedro",
    "+quincy",
    "+rob",
    "+robert",
    "+sandro",
    "+shelby",
    "+steph",
    "+travis",
    "+victor",
    "+zac",
]
EVAL_VARIANTS = ["+m7", "+f5", "+Diego", "+Gene", "+Alicia", "+Henrique", "+michel", "+grandma", "+Andrea"]
CB = C.CFUNCTYPE(C.c_int, C.POINTER(C.c_short), C.c_int, C.c_void_p)


class Synth:
    def __init__(s):
        try:
            s.L = C.CDLL("libespeak-ng.so.1")
        except OSError as error:
            raise SystemExit(f"speech needs libespeak-ng (Debian: apt-get install libespeak-ng1): {error}")
        s.rate = s.L.espeak_Initialize(2, 0, None, 0)
        if s.rate <= 0:
            raise SystemExit("libespeak-ng found no voices (Debian: apt-get install espeak-ng-data)")
        s.buf = []

        def cb(wav, n, ev):
            if wav and n > 0:
                s.buf.append(np.ctypeslib.as_array(wav, (n,)).copy())
            return 0

        s.cb = CB(cb)
        s.L.espeak_SetSynthCallback(s.cb)

    def say(s, text, voice, speed=165, pitch=50, gap=0, prange=50):
        s.buf = []
        L = s.L
        if L.espeak_SetVoiceByName(voice.encode()) != 0:
            return None
        L.espeak_SetParameter(1, speed, 0)
        L.espeak_SetParameter(3, pitch, 0)
        L.espeak_SetParameter(4, prange, 0)
        L.espeak_SetParameter(7, gap, 0)
        b = text.encode() + b"\0"
        L.espeak_Synth(b, len(b), 0, 1, 0, 1, None, None)
        L.espeak_Synchronize()
        if not s.buf:
            return None
        x = np.concatenate(s.buf).astype(np.float32)
        k = np.flatnonzero(np.abs(x) > 200)
        if len(k) < 500:
            return None
        x = x[max(0, k[0] - 400) : k[-1] + 800]
        from scipy.signal import resample_poly

        g = gcd(s.rate, 16000)
        x = resample_poly(x, 16000 // g, s.rate // g)
        return np.clip(x / (np.abs(x).max() + 1e-6) * 30000, -32767, 32767).astype(np.int16)

    def random(s, text, r, ev=False):
        for _ in range(5):
            v = r.choice(TRAIN_VOICES) + (r.choice(EVAL_VARIANTS) if ev else r.choice(VARIANTS))
            t = text
            if " " in t and r.random() < 0.4:
                t = t.replace(" ", r.choice([", ", ". ", ", "]))
            x = s.say(
                t, v, r.randint(110, 220), r.randint(15, 90), r.choice([0, 0, 0, 1, 3]), r.randint(20, 80)
            )
            if x is not None and len(x) < 16000 * 4.3:
                return x
        return None
