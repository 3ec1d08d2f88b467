const length_s = 0.25;
const gap_ms = 1_000;
let context: AudioContext | undefined;
let last = 0;

/** Plays two short tones, at most once a second. Made here, because no file has to be loaded for it. */
export function chime(): void {
  const now = performance.now();
  if (now - last < gap_ms) return;
  last = now;
  context ??= new AudioContext();
  const { currentTime: start, destination } = context;
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const at = start + index * 0.12;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.06, at);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + length_s);
    tone.connect(volume).connect(destination);
    tone.start(at);
    tone.stop(at + length_s);
  }
}
