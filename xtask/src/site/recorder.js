// Runs beside the page, on the thread that hears the microphone. Posts what it hears, the mean of all channels, in
// pieces of a tenth of a second; and null after the last piece, when it is sent anything.

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(Math.ceil(sampleRate / 10));
    this.filled = 0;
    this.port.onmessage = () => {
      this.pass();
      this.port.postMessage(null);
    };
  }

  process([channels]) {
    const frames = channels[0]?.length ?? 0;
    for (let at = 0; at < frames; at++) {
      let sum = 0;
      for (const channel of channels) {
        sum += channel[at];
      }
      this.piece[this.filled++] = sum / channels.length;
      if (this.filled === this.piece.length) {
        this.pass();
      }
    }
    return true;
  }

  pass() {
    if (this.filled > 0) {
      const piece = this.piece.slice(0, this.filled);
      this.port.postMessage(piece, [piece.buffer]);
      this.filled = 0;
    }
  }
}

registerProcessor("recorder", Recorder);
