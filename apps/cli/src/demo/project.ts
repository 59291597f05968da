/** The small repository that the replay works in. */
export const PROJECT: Readonly<Record<string, string>> = Object.freeze({
  "README.md": "# courier\n\nSends a request, and again when it fails.\n",
  "src/retry.js": [
    "// The delay before each further try, ms. The last one repeats.",
    "export const DELAYS = [1000, 2000, 4000];",
    "export const CAP_MS = 30_000;",
    "",
    "export function waitBefore(attempt) {",
    "  const delay = DELAYS[Math.min(attempt, DELAYS.length - 1)];",
    "  return Math.min(delay, CAP_MS);",
    "}",
    "",
  ].join("\n"),
  "src/send.js": [
    'import { waitBefore } from "./retry.js";',
    "",
    "export async function send(request, tries = 3) {",
    "  for (let attempt = 0; ; attempt++) {",
    "    const answer = await request();",
    "    if (answer.ok || attempt + 1 >= tries) return answer;",
    "    await new Promise((done) => setTimeout(done, waitBefore(attempt)));",
    "  }",
    "}",
    "",
  ].join("\n"),
  "test/retry.test.js": [
    'import { waitBefore } from "../src/retry.js";',
    "",
    "if (waitBefore(9) !== 4000) process.exit(1);",
    "",
  ].join("\n"),
});
