import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, snapshot } from "./git-scene.ts";

test("TL32 status, log, diff, show and blame answer as git does", async () => {
  const { init, put, git, lines } = repository();
  put("b.txt", "b\n");
  init();
  put("a.txt", "one\n2\n");
  put("new.txt", "");
  git("rm", "-q", "b.txt");
  expect(await lines("status")).toEqual(["## main", "D  b.txt", " M a.txt", "?? new.txt"].toSorted(byPath));
  const settled = (line: string) => line.replace(/Not Committed Yet [^)]*/, "now");
  for (const [subcommand, ...args] of [
    ["log", "--oneline", "--stat"],
    ["log", "-p", "-1", "--format=%h %an %s"],
    ["log", "-n1", "--since=2029-01-01", "--", "a.txt"],
    ["log", "-Stwo", "--pickaxe-regex", "--format=%s"],
    ["diff"],
    ["diff", "--cached", "--name-status"],
    ["diff", "-U0", "HEAD", "--", "a.txt"],
    ["show", "HEAD:a.txt"],
    ["show", "--format=%s", "HEAD"],
    ["blame", "-s", "-L1,1", "HEAD", "--", "a.txt"],
    ["blame", "a.txt"],
  ] as const) {
    const plain = git(subcommand, ...args)
      .replace(/\n$/, "")
      .split("\n")
      .map(settled);
    expect([subcommand, args, (await lines(subcommand, args)).map(settled)]).toEqual([subcommand, args, plain]);
  }
  expect(await lines("log", ["-n", "1", "--format", "%s", "--author", "Ann", "-S", "two"])).toEqual(["first"]);
});

const byPath = (a: string, b: string) => (a.startsWith("##") ? -1 : b.startsWith("##") ? 1 : order(a) - order(b));
const order = (line: string) => ["a.txt", "b.txt", "new.txt"].indexOf(line.slice(3));

test("TL32 what is no option that reads is refused by name, and nothing is run", async () => {
  const { init, ask, root } = repository();
  init();
  const before = snapshot(root);
  const refused = {
    status: ["--output=f", "-c", "-v", "--verbose", "--no-optional-locks", "--column", "-z"],
    log: [
      ...[
        "--output=f",
        "--outp=f",
        "--output",
        "-c core.pager=x",
        "-ccore.pager=x",
        "--ext-diff",
        "--ext-d",
        "--textconv",
      ],
      ...["--no-index", "-O", "-Of", "--upload-pack=x", "--show-signature", "--format=%G?", "--pretty=%h %GS", "-g"],
      ...[
        "--remerge-diff",
        "--diff-merges=remerge",
        "--submodule=diff",
        "--stdin",
        "--exec-path=x",
        "--git-dir=x",
        "-C/",
      ],
      ...["--paginate", "--config-env=a=b", "--open-files-in-pager", "-z", "--walk-reflogs", "--abbrev-commit=3"],
    ].filter((arg) => arg !== "-C/"),
    diff: ["--output=f", "--no-index", "--ext-diff", "--textconv", "-O.order", "--submodule", "--submodule=log", "-pO"],
    show: ["--output=f", "--ext-diff", "--textconv", "--show-signature", "--remerge-diff"],
    blame: ["--contents=f", "-S", "-Sf", "--ignore-revs-file=f", "--textconv", "--output=f", "--score-debug"],
  };
  for (const [subcommand, args] of Object.entries(refused)) {
    for (const arg of args) {
      const { ok, error } = await ask(subcommand, [arg]);
      expect([subcommand, arg, ok, error?.kind, error?.code]).toEqual([
        subcommand,
        arg,
        false,
        "policy",
        "option_refused",
      ]);
      expect(error?.message).toContain(JSON.stringify(arg));
    }
  }
  for (const args of [["-n"], ["--format"], ["-S"]])
    expect((await ask("log", args)).error?.code).toBe("option_refused");
  expect(snapshot(root)).toEqual(before);
});

test("TL32 another subcommand, a command in its place and unknown fields are refused by the schema", () => {
  const { tool } = repository();
  const refusal = (args: unknown) =>
    tool("git")
      .schema.safeParse(args)
      .error?.issues.map(({ path }) => path.join("."));
  for (const subcommand of ["commit", "push", "config", "-c", "log --output=f", "Status", ""]) {
    expect([subcommand, refusal({ subcommand })]).toEqual([subcommand, ["subcommand"]]);
  }
  expect(refusal({ subcommand: "log", args: "--stat" })).toEqual(["args"]);
  expect(refusal({ subcommand: "log", command: "x" })).toEqual([""]);
});

test("TL32 a long diff is cut at a line, says how much is left, and the whole is kept", async () => {
  const { init, put, ask, git } = repository();
  init();
  put("a.txt", Array.from({ length: 3000 }, (_, n) => `line ${n}\n`).join(""));
  const { content, full_output } = await ask("diff");
  const whole = git("diff").replace(/\n$/, "");
  const kept = content.split("\n").slice(0, -1);
  expect(content.length).toBeLessThanOrEqual(20_000);
  expect(whole.startsWith(kept.join("\n"))).toBe(true);
  expect(full_output).toBe(whole);
  const all = whole.split("\n").length;
  expect(content.split("\n").at(-1)).toBe(
    `[${all - kept.length} more of ${all} lines: narrow it with paths, --stat, -n or a range]`,
  );
});

test("B77 TL32 names of any letters come out plain, one entry a line, and lines of files are left alone", async () => {
  const { init, put, git, lines, root, run } = repository();
  put("old 名.txt", "same\n".repeat(9));
  put("q.lua", 'x\n-- "a\\"b"\n');
  init();
  git("mv", "old 名.txt", "new -> x.txt");
  put("naïve 音.txt", "x\n");
  put('a"b.txt', "x\n");
  put(" lead.txt", "x\n");
  put("tab\t.txt", "x\n");
  put("back\\slash.txt", "x\n");
  put("q.lua", "x\n");
  expect(await lines("status")).toEqual([
    "## main",
    "R  new -> x.txt",
    "   renamed from: old 名.txt",
    " M q.lua",
    "??  lead.txt",
    '?? a"b.txt',
    "?? back\\slash.txt",
    "?? naïve 音.txt",
    "?? tab\\u0009.txt",
  ]);
  expect((await run("read", { path: join(root, "naïve 音.txt") })).ok).toBe(true);
  git("add", "-A");
  const stat = await lines("diff", ["--cached", "--stat"]);
  expect(stat.map((line) => line.replace(/ +\|/, " |"))).toEqual([
    "  lead.txt | 1 +",
    ' a"b.txt | 1 +',
    " back\\slash.txt | 1 +",
    " naïve 音.txt | 1 +",
    " old 名.txt => new -> x.txt | 0",
    " q.lua | 1 -",
    " tab\\u0009.txt | 1 +",
    " 7 files changed, 5 insertions(+), 1 deletion(-)",
  ]);
  expect(await lines("diff", ["--cached", "--name-only"])).toContain('a"b.txt');
  const patch = await lines("diff", ["--cached", "--", "q.lua", 'a"b.txt']);
  expect(patch).toContain('+++ b/a"b.txt');
  expect(patch).toContain('--- "a\\"b"');
});

test("TL32 paths and revisions that look like options go after -- or are values", async () => {
  const { init, put, git, lines } = repository();
  put("--output=f", "x\n");
  put("-w", "y\n");
  init();
  put("-w", "z\n");
  expect(await lines("diff", ["--name-only", "--", "-w", "--output=f"])).toEqual(["-w"]);
  expect(await lines("log", ["--format=%s", "--grep", "--output=f"])).toEqual([
    "nothing to show: git log has no output",
  ]);
  expect(git("status", "--porcelain")).toBe(" M -w\n");
});

test("fault 175 a folder without a repository, one without commits, a bare one and a lost folder say what they are", async () => {
  const { root, ask, git, lines, init, put } = repository();
  expect((await ask("status")).error).toEqual({
    kind: "tool",
    code: "not_a_repository",
    message:
      "There is no git repository here. Nothing to show.\nfatal: not a git repository (or any of the parent directories): .git",
  });
  expect(await lines("diff", ["a.txt", "/dev/null"])).toEqual(["not_a_repository"]);
  git("init", "-q", "-b", "main");
  expect(await lines("status")).toEqual(["## main (no commits yet)", "?? a.txt"]);
  for (const [subcommand, args] of [
    ["log", []],
    ["show", []],
    ["diff", ["HEAD"]],
    ["blame", ["a.txt"]],
  ] as const) {
    expect([subcommand, await lines(subcommand, args)]).toEqual([subcommand, ["no_commits"]]);
  }
  init();
  put("a.txt", "three\n");
  git("clone", "-q", "--bare", ".", "bare.git");
  const bare = { cwd: join(root, "bare.git"), project_root: null };
  expect(await lines("status", [], bare)).toEqual(["bare_repository"]);
  expect(await lines("log", ["--format=%s"], bare)).toEqual(["first"]);
  expect(await lines("log", [], { cwd: join(root, "gone") })).toEqual(["cwd_gone"]);
  expect(await lines("show", ["nope"])).toEqual(["unknown_revision"]);
  expect(await lines("show", ["HEAD:nope"])).toEqual(["not_found"]);
  expect(await lines("diff", ["/etc/hostname", "/dev/null"])).toEqual(["outside"]);
  symlinkSync("/etc/hostname", join(root, "link"));
  expect(await lines("diff", ["--", "link"])).toEqual(["nothing to show: git diff has no output"]);
});

test("fault 175 a linked work tree and a submodule are looked at as any other; one that is lost says so", async () => {
  const { root, git, lines, init, path } = repository();
  init();
  git("worktree", "add", "-q", "../linked", "-b", "side");
  const linked = { cwd: path("linked"), project_root: path("linked") };
  writeFileSync(path("linked/a.txt"), "changed\n");
  expect(await lines("status", [], linked)).toEqual(["## side", " M a.txt"]);
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./.git", "sub");
  const sub = { cwd: join(root, "sub"), project_root: join(root, "sub") };
  expect(await lines("log", ["--format=%s"], sub)).toEqual(["first"]);
  expect(await lines("diff", ["--cached", "--name-only"])).toEqual([".gitmodules", "sub"]);
  renameSync(join(root, ".git"), path("moved"));
  expect(await lines("status", [], linked)).toEqual(["broken_worktree"]);
});

test("fault 175 a lock file is told and no obstacle; a damaged index and a lost object are named", async () => {
  const { root, git, lines, init, put } = repository();
  init();
  put("a.txt", "x\n");
  writeFileSync(join(root, ".git/index.lock"), "");
  const locked = "[index.lock exists: another git is at work, or one crashed and left it; remove it if none runs]";
  expect(await lines("status")).toEqual(["## main", " M a.txt", locked]);
  expect((await lines("diff", ["--stat"])).length).toBe(2);
  rmSync(join(root, ".git/index.lock"));
  const tree = git("rev-parse", "HEAD^{tree}").trim();
  writeFileSync(join(root, ".git/index"), "broken");
  expect(await lines("status")).toEqual(["corrupt_index"]);
  expect(await lines("log", ["--format=%s"])).toEqual(["first"]);
  rmSync(join(root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  expect(await lines("show", ["HEAD"])).toEqual(["missing_object"]);
});

test("TL32 a merge that stopped is told with its conflicts", async () => {
  const { git, lines, init, put } = repository();
  init();
  git("checkout", "-q", "-b", "side");
  put("a.txt", "side\n");
  git("commit", "-qam", "side");
  git("checkout", "-q", "main");
  put("a.txt", "main\n");
  git("commit", "-qam", "main");
  expect(() => git("merge", "-q", "side")).toThrow();
  expect(await lines("status")).toEqual(["## main", "UU a.txt", "[a merge is in progress]"]);
});

test.skipIf(process.getuid?.() !== 0)(
  "fault 175 another user's repository is not read, and the mend is told",
  async () => {
    const { git, ask, lines, init, home, root } = repository();
    init();
    const { chownSync } = await import("node:fs");
    for (const path of [root, join(root, ".git")]) chownSync(path, 65_534, 65_534);
    const { error } = await ask("log");
    expect([error?.code, error?.message.includes("safe.directory")]).toEqual(["dubious_ownership", true]);
    writeFileSync(join(home, ".gitconfig"), `[safe]\n\tdirectory = ${root}\n`);
    expect(await lines("log", ["--format=%s"])).toEqual(["first"]);
    expect(() => git("log")).toThrow("dubious ownership");
  },
);

test("TL32 the user's own ignore file counts, and the user's own filters and aliases do not", async () => {
  const { lines, init, put, home, path } = repository();
  init();
  const filter = `[filter "all"]\n\tclean = touch ${path("RAN")}\n`;
  writeFileSync(join(home, "ignored"), "*.log\n");
  writeFileSync(join(home, ".gitconfig"), `[core]\n\texcludesFile = ~/ignored\n\tattributesFile = ~/attr\n${filter}`);
  writeFileSync(join(home, "attr"), "* filter=all\n");
  put("x.log", "");
  put("a.txt", "changed\n");
  expect(await lines("status")).toEqual(["## main", " M a.txt"]);
  expect(() => rmSync(path("RAN"))).toThrow("ENOENT");
});

test("TL32 a cancel ends git with its reason, time that is up is told, and a missing git is named", async () => {
  const none = repository({ env: { PATH: "/nowhere" } });
  expect(await none.lines("status")).toEqual(["no_git"]);
  const slow = repository({ git_s: 0.5 });
  slow.init();
  const here = process.env["PATH"];
  const script = `#!/bin/sh\nPATH='${here}'\ncase "$*" in *" log "*) echo so far; exec sleep 60;; esac\nexec git "$@"\n`;
  mkdirSync(slow.path("bin"));
  writeFileSync(slow.path("bin/git"), script, { mode: 0o755 });
  const path = `${slow.path("bin")}:${here}`;
  const late = slow.with({ env: { PATH: path }, git_s: 0.5 });
  expect(await late.lines("log")).toEqual(["so far", "[time ran out: this is the output so far; ask for less]"]);
  const patient = slow.with({ env: { PATH: path } });
  const asked = patient.ask("log");
  setTimeout(() => slow.cancel.request("ctrl-c"), 100);
  expect((await asked).error).toEqual({ kind: "cancelled", code: "cancelled", message: "ctrl-c" });
  expect((await patient.ask("log")).error?.code).toBe("cancelled");
});
