import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProject, normaliseOrigin } from "../src/project.ts";
import { model, place } from "./place.ts";

const SAME = [
  "git@example.org:o/r.git",
  "git@example.org:o/r",
  "ssh://git@example.org/o/r.git",
  "ssh://git@example.org:2222/o/r.git",
  "https://example.org/o/r.git",
  "https://example.org/o/r/",
  "https://bob:ghp_SECRET123@example.org/o/r.git",
  "https://ghp_SECRET123@EXAMPLE.org:443/o/r",
  "git://example.org/o/r.git",
  "git+ssh://git@example.org/o/r.git",
];
const id = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

test("PS13 SSH, HTTPS and git addresses of one repository are one project; file forms are one too", () => {
  expect(SAME.map(normaliseOrigin)).toEqual(SAME.map(() => "example.org/o/r"));
  const files = ["/srv/git/r.git", "file:///srv/git/r.git", "file:///srv/git/r/", "/srv/git/r"];
  expect(files.map(normaliseOrigin)).toEqual(files.map(() => "file/srv/git/r"));
  const others = ["git@example.org:o/R.git", "git@example.com:o/r.git", "git@example.org:o/r2.git"];
  expect(new Set([...others, "git@example.org:o/r.git"].map(normaliseOrigin)).size).toBe(4);
});

test("PS13 the id is the first 16 hex digits of the SHA-256 of the one form; without an origin there is one still", () => {
  for (const url of SAME) {
    const here = place();
    here.git("init", "-q");
    here.git("remote", "add", "origin", url);
    expect([url, findProject(here.cwd).project_id]).toEqual([url, id("example.org/o/r")]);
    mkdirSync(join(here.cwd, "a", "b"), { recursive: true });
    expect(findProject(join(here.cwd, "a", "b")).project_id).toBe(id("example.org/o/r"));
  }
  const bare = place();
  expect(findProject(bare.cwd).project_id).toMatch(/^[0-9a-f]{16}$/);
});

test("PS13 a worktree belongs to the project of its repository", () => {
  const here = place();
  here.git("init", "-q");
  here.git("remote", "add", "origin", "git@example.org:o/r.git");
  here.git("-c", "user.name=t", "-c", "user.email=t@e.org", "commit", "-q", "--allow-empty", "-m", "start");
  here.git("worktree", "add", "-q", `${here.cwd}-tree`);
  expect(findProject(`${here.cwd}-tree`)).toEqual({ ...findProject(here.cwd), root: `${here.cwd}-tree` });
});

for (const url of ["https://bob:ghp_SECRET123@example.org/o/r.git", "https://ghp_SECRET123@example.org/o/r.git"]) {
  test(`B79 PS13 the token in ${url.replace("ghp_SECRET123", "…")} is nowhere: request, events, result, files`, async () => {
    const llm = await model([{ say: "done" }]);
    const here = place();
    here.git("init", "-q");
    here.git("remote", "add", "origin", url);
    const runtime = here.runtime({ config: llm.config });
    const result = await runtime.run("hi");
    const { services } = await runtime.start();
    const policy = await services.command.run("policy", "show");
    await runtime.close();
    const texts = [
      ["request", JSON.stringify(llm.requests)],
      ["events", JSON.stringify(runtime.events())],
      ["result", JSON.stringify(result)],
      ["policy", JSON.stringify(policy)],
      ...readdirSync(here.home).map((name) => [name, readFileSync(join(here.home, name), "latin1")]),
    ];
    expect(texts.filter(([, text]) => text?.includes("SECRET123")).map(([name]) => name)).toEqual([]);
    expect(llm.requests[0]?.raw).toContain("https://example.org/o/r.git");
  });
}
