/** Milliseconds a frame of the spinner stands: ten a second. */
export const SPINNER_MS = 100;

const BRAILLE = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const PLAIN = [..."-\\|/"];

/** The spinner after so many milliseconds; without `unicode` of ASCII. */
export function spinnerFrame(elapsedMs: number, unicode: boolean): string {
  const frames = unicode ? BRAILLE : PLAIN;
  return frames[Math.floor(Math.max(0, elapsedMs) / SPINNER_MS) % frames.length] ?? "-";
}

/** Calls `onFrame` ten times a second until stopped. It keeps no process alive. */
export function startSpinner(onFrame: () => void): { stop(): void } {
  const timer = setInterval(onFrame, SPINNER_MS);
  timer.unref();
  return Object.freeze({ stop: () => clearInterval(timer) });
}
