import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { storedSessions } from "./database.ts";
import { killModel } from "./kill-model.ts";
import { place } from "./scene.ts";

const PAGE = readFileSync(new URL("../../../docs/SESSIONS.md", import.meta.url), "utf8");

/** The lines of the fenced blocks of a language. */
const lines = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))]
    .flatMap(([, text = ""]) => text.split("\n"))
    .filter((line) => line !== "");

test("every command of docs/SESSIONS.md runs, on a session with the id it names", async () => {
  const llm = await killModel(0);
  const here = place({ config: llm.config });
  await here.run(["-p", "fix the parser"]);
  const id = storedSessions(here.database)[0]?.id ?? "";
  const bin = join(here.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "smith"), `#!/bin/sh\nexec "${process.execPath}" "${SMITH}" "$@"\n`);
  chmodSync(join(bin, "smith"), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: here.home, SMITH_HOME: here.home, SMITH_NO_PROBE: "1" };
  const commands = [...lines("sh")].sort((a, b) => Number(a.includes("delete")) - Number(b.includes("delete"))); // that one last
  const failed: string[] = [];
  const slash = await here.run([], { stdin: `${lines("text").join("\n").replaceAll("k3f9", id)}\n` });
  for (const line of commands) {
    const command = `${line.replace(/\s+#.*$/, "").replaceAll("k3f9", id)} </dev/null`;
    await promisify(execFile)("bash", ["-c", command], { cwd: here.cwd, env }).catch((error: Error) =>
      failed.push(`${line}: ${error.message}`),
    );
  }
  expect(failed).toEqual([]);
  expect(commands).toHaveLength(11);
  expect([slash.code, slash.stderr]).toEqual([0, ""]);
  expect(slash.stdout).toContain(`resumed ${id}: fix the parser`);
  expect(here.read("parser.md")).toContain("# the parser");
  expect(storedSessions(here.database).map((session) => session.id)).not.toContain(id);
});
