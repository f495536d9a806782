//! Where somebody speaks: utterances, cut out of the sound of a microphone or a file.

use earshot::Detector;

use super::SAMPLE_RATE;

/// Samples of a frame that the detector scores: 16 ms.
const FRAME: usize = 256;
/// Scores from which a frame is speech, and below which it is none.
const SPEECH: f32 = 0.5;
const SILENCE: f32 = 0.35;
/// Frames of speech that begin an utterance: 80 ms.
const ONSET: u32 = 5;
/// Frames that are kept before the first one of speech, and behind the last one.
const LEAD: usize = 20;
const TAIL: u32 = 12;
/// An utterance with fewer frames of speech is a click or a cough.
const LEAST: u32 = 10;
/// Frames from which a short pause ends an utterance, and the most of one: a model hears 30 s at a time.
const LONG: u32 = 20 * 1_000 / 16;
const LONGEST: u32 = 28 * 1_000 / 16;
/// A short pause: 160 ms.
const SHORT_PAUSE: u32 = 10;

/// What is heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Somebody has begun to speak.
    Began,
    /// What was said. Nothing, if it was too short to be speech.
    Ended(Option<Utterance>),
}

/// What was said in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// The sample at which it begins, counted from the first of all.
    pub start: u64,
    /// 16 kHz, mono.
    pub samples: Vec<i16>,
}

impl Utterance {
    /// Where it begins and ends, in milliseconds.
    #[must_use]
    pub fn millis(&self) -> (u64, u64) {
        let millis = |samples: u64| samples * 1000 / u64::from(SAMPLE_RATE);
        (millis(self.start), millis(self.start + self.samples.len() as u64))
    }
}

/// Finds utterances in a stream of samples.
pub struct Activity {
    detector: Box<Detector>,
    /// Frames of silence that end an utterance.
    pause: u32,
    /// Samples that may be of an utterance; the last ones may not fill a frame.
    kept: Vec<i16>,
    /// The place of the first of them.
    first: u64,
    /// How many of them were scored.
    scored: usize,
    /// Frames of speech in a row.
    onset: u32,
    /// The utterance that goes on.
    now: Option<Running>,
}

#[derive(Default)]
struct Running {
    frames: u32,
    spoken: u32,
    quiet: u32,
}

impl Activity {
    /// A stream in which a pause of so many milliseconds ends an utterance.
    #[must_use]
    pub fn new(pause: u32) -> Self {
        Self {
            detector: Detector::default_boxed(),
            pause: pause / 16,
            kept: Vec::new(),
            first: 0,
            scored: 0,
            onset: 0,
            now: None,
        }
    }

    /// Takes samples of 16 kHz from −32 768 to 32 767, and returns what is heard in them.
    pub fn push(&mut self, samples: &[i16]) -> Vec<Heard> {
        self.kept.extend_from_slice(samples);
        let mut heard = Vec::new();
        while let Some(frame) = self.kept.get(self.scored..self.scored + FRAME) {
            let score = self.detector.predict_i16(frame);
            self.scored += FRAME;
            heard.extend(self.hear(score));
        }
        if self.now.is_none() {
            self.forget(LEAD + self.onset as usize);
        }
        heard
    }

    /// Returns the utterance that goes on where the sound ends.
    pub fn finish(&mut self) -> Option<Utterance> {
        let now = self.now.take()?;
        let end = self.kept.len();
        self.cut(&now, end)
    }

    fn hear(&mut self, score: f32) -> Option<Heard> {
        let Some(now) = &mut self.now else {
            self.onset = if score >= SPEECH { self.onset + 1 } else { 0 };
            if self.onset < ONSET {
                return None;
            }
            self.now = Some(Running { frames: ONSET, spoken: ONSET, quiet: 0 });
            self.forget(LEAD + ONSET as usize);
            self.onset = 0;
            return Some(Heard::Began);
        };
        now.frames += 1;
        if score >= SPEECH {
            now.spoken += 1;
            now.quiet = 0;
        } else if score < SILENCE || now.quiet > 0 {
            now.quiet += 1;
        }
        let pause = if now.frames >= LONG { self.pause.min(SHORT_PAUSE) } else { self.pause };
        if now.quiet < pause && now.frames < LONGEST {
            return None;
        }
        let now = self.now.take()?;
        let end = self.scored - now.quiet.saturating_sub(TAIL) as usize * FRAME;
        Some(Heard::Ended(self.cut(&now, end)))
    }

    /// Takes the utterance that ends before this kept sample.
    fn cut(&mut self, now: &Running, end: usize) -> Option<Utterance> {
        let start = self.first;
        let samples: Vec<_> = self.kept.drain(..end).collect();
        self.first += end as u64;
        self.scored = self.scored.saturating_sub(end);
        (now.spoken >= LEAST).then_some(Utterance { start, samples })
    }

    /// Keeps only this many scored frames, and what comes after them.
    fn forget(&mut self, frames: usize) {
        let spent = self.scored.saturating_sub(frames * FRAME);
        self.kept.drain(..spent);
        self.first += spent as u64;
        self.scored -= spent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of a recording in the tests' folder.
    fn recording(name: &str) -> Vec<i16> {
        let path = format!("{}/../server/models/samples/{name}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(path).expect("a recording");
        crate::media::wav::samples(&file)
    }

    fn silence(millis: usize) -> Vec<i16> {
        vec![0; millis * 16]
    }

    /// Noise of this loudness from a generator of its own.
    fn noise(millis: usize, loudness: i32) -> Vec<i16> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) as i32 % (2 * loudness) - loudness) as i16
        };
        (0..millis * 16).map(|_| next()).collect()
    }

    fn utterances(sound: &[i16], pause: u32) -> Vec<Utterance> {
        let mut activity = Activity::new(pause);
        let mut found: Vec<_> = sound
            .chunks(1_600)
            .flat_map(|piece| activity.push(piece))
            .filter_map(|heard| match heard {
                Heard::Ended(utterance) => utterance,
                Heard::Began => None,
            })
            .collect();
        found.extend(activity.finish());
        found
    }

    #[test]
    fn spoken_digits_are_found_between_pauses_whole_and_in_their_place() {
        let digits = recording("speech1.wav");
        let sound = [silence(1_500), digits.clone(), silence(2_000), digits.clone(), silence(1_500)].concat();
        let found = utterances(&sound, 900);
        assert_eq!(found.len(), 2, "{:?}", found.iter().map(Utterance::millis).collect::<Vec<_>>());
        let spoken = digits.len() as u64 / 16;
        for (utterance, begin) in found.iter().zip([1_500, 3_500 + spoken]) {
            let (start, end) = utterance.millis();
            assert!(start + 500 > begin && start < begin + 700, "{start} for {begin}");
            assert!(end > start + spoken / 2 && end < begin + spoken + 700, "{start} to {end}");
            let at = utterance.start as usize;
            assert_eq!(utterance.samples, sound[at..at + utterance.samples.len()]);
        }
    }

    #[test]
    fn neither_silence_nor_noise_nor_a_click_is_speech() {
        let mut click = silence(3_000);
        click[16_000..16_200].fill(20_000);
        for (name, sound) in [
            ("silence", silence(3_000)),
            ("soft noise", noise(5_000, 300)),
            ("loud noise", noise(5_000, 6_000)),
            ("a click", click),
        ] {
            assert_eq!(utterances(&sound, 700).len(), 0, "{name}");
        }
    }

    /// Where it becomes loud, in milliseconds.
    fn onset(sound: &[i16]) -> usize {
        let peak = sound.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or_default();
        let is_loud = |frame: &[i16]| frame.iter().any(|sample| sample.unsigned_abs() > peak / 20);
        16 * sound.chunks(FRAME).position(is_loud).expect("it is not silent")
    }

    #[test]
    fn speech_is_noticed_within_300_ms_over_noise() {
        for name in ["speech1.wav", "speech2.wav", "speech3.wav"] {
            let digits = recording(name);
            let begin = 1_000 + onset(&digits);
            let sound: Vec<i16> = [silence(1_000), digits]
                .concat()
                .iter()
                .zip(noise(4_000, 100))
                .map(|(one, other)| one.saturating_add(other))
                .collect();
            let mut activity = Activity::new(900);
            let mut at = 0;
            // The microphone's program posts a tenth of a second at a time.
            let began = sound.chunks(1_600).find_map(|piece| {
                at += piece.len();
                activity.push(piece).contains(&Heard::Began).then_some(at / 16)
            });
            let late = began.expect("speech").saturating_sub(begin);
            assert!(late <= 300, "{name}: {late} ms");
        }
    }

    #[test]
    fn speech_without_a_pause_is_cut_before_it_is_too_long() {
        let digits = recording("speech1.wav");
        let loud: Vec<i16> = digits.iter().copied().filter(|sample| sample.unsigned_abs() > 100).collect();
        let sound: Vec<i16> = loud.iter().copied().cycle().take(16_000 * 70).collect();
        let found = utterances(&sound, 5_000);
        assert!(found.iter().all(|it| it.samples.len() <= 16_000 * 30), "{}", found.len());
    }
}
