import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DispatchResult } from "@smith/contract/dispatch";
import type { ScriptedCall } from "@smith/testkit";
import { dispatch, report, scene } from "./delegation-scene.ts";

/** Fifty lines, each like no other. */
export const LINES: readonly string[] = [
  "// The delay between two tries of a request grows,",
  "// but never beyond the cap that the settings name.",
  "export function waitBefore(",
  "  attempt: number,",
  "  list: readonly number[],",
  "): number {",
  "\tconst last = list.length - 1;",
  "\treturn list[Math.min(attempt, last)] ?? 0;",
  "}",
  "",
  ...Array.from({ length: 40 }, (_, at) => `export const row${at + 11} = "value of ${at + 11}";`),
];
export const FILES: Readonly<Record<string, string>> = {
  "src/retry.ts": `${LINES.join("\n")}\n`,
  "src/other.ts": "export const other = 1;\nexport const more = 2;\n",
};

export function writeFiles(cwd: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
}

/** Makes the folder a repository with one commit of everything in it. */
export function commitAll(cwd: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...args], {
      cwd,
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
}

/** One job whose child makes these calls, a round each, and then reports; once more when the first is refused. */
export async function jobThat(
  role: "worker" | "explorer",
  calls: readonly ScriptedCall[],
  told: object,
  { reports = 1 }: { readonly reports?: number } = {},
): Promise<DispatchResult> {
  const said = Array.from({ length: reports }, (_, at) => ({ call: [report(`r${at}`, told)] }));
  const { runtime, cwd } = await scene({
    direct: [{ call: [dispatch("a", role)] }, { say: "Done." }],
    [role]: [...calls.map((call) => ({ call: [call] })), ...said],
  });
  writeFiles(cwd, FILES);
  commitAll(cwd);
  const [result] = (await runtime.run("go")).dispatches;
  if (result === undefined) throw new Error("no result came");
  return result;
}
