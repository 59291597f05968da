/** One size of something that is measured at several; `size` counts what grows. */
export interface Growth {
  /** The sizes with one name make one growth. */
  readonly name: string;
  readonly size: number;
}

/**
 * The exponent k of figure = c · size^k that fits best: the least-squares slope of the logarithms. 1 is linear, 2 is
 * quadratic; a part that does not grow lowers it. Null for fewer than two sizes.
 */
export function exponent(points: readonly (readonly [size: number, figure: number])[]): number | null {
  const known = points.filter(([size, figure]) => size > 0 && figure > 0);
  if (new Set(known.map(([size]) => size)).size < 2) return null;
  const logs = known.map(([size, figure]) => [Math.log(size), Math.log(figure)] as const);
  const mean = (of: 0 | 1) => logs.reduce((sum, each) => sum + each[of], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const rise = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return rise / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
