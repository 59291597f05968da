/** How much of the context is used: calm up to 70 %, high above, critical above 90 %. */
export type ContextLevel = "calm" | "high" | "critical";

export function levelOf(percent: number): ContextLevel {
  if (percent > 90) return "critical";
  return percent > 70 ? "high" : "calm";
}

/** `950`, `1.2k`, `3.4M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.max(0, Math.floor(count)));
  // 999,950 would round up to 1000.0k
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** US dollars: two places, below a cent three, below a tenth of one four. */
export function costText(usd: number | null): string {
  if (usd === null || !(usd > 0)) return "$0.00";
  return `$${usd.toFixed(usd < 0.001 ? 4 : usd < 0.01 ? 3 : 2)}`;
}

/** `4s`, `2m05s`, `1h02m`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const pad = (count: number) => String(count).padStart(2, "0");
  return minutes < 60 ? `${minutes}m${pad(seconds % 60)}s` : `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}
