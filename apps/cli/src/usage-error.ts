/** A wrong way to call smith, or a wrong configuration: one line on stderr, exit code 2. */
export class UsageError extends Error {
  readonly exitCode = 2;
}
