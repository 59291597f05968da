import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, snapshot } from "./git-scene.ts";

/** A repository in which every way to start a program is taken; whatever runs leaves a file named after it. */
function hostile() {
  const scene = repository();
  const { root, git, put, path } = scene;
  const ran = path("ran");
  mkdirSync(ran);
  /** A program that leaves its name, and does what would be expected of it. */
  const trap = (name: string, then = "cat"): string => {
    mkdirSync(path("traps"), { recursive: true });
    const file = path(`traps/${name}`);
    writeFileSync(file, `#!/bin/sh\ntouch '${ran}/${name}'\n${then}\n`, { mode: 0o755 });
    return file;
  };
  put(".gitattributes", "*.f filter=f\n*.p filter=p\n*.t diff=t\n*.x diff=x\n*.m merge=m\n");
  for (const name of ["a.f", "a.p", "a.t", "a.x", "a.m"]) put(name, "one\n");
  scene.init();
  git("checkout", "-q", "-b", "side");
  put("a.m", "side\n");
  git("commit", "-qam", "side");
  git("checkout", "-q", "main");
  put("a.m", "main\n");
  git("commit", "-qam", "main");
  git("merge", "-q", "-s", "ours", "-m", "merge", "side");
  git("init", "-q", "sub");
  put("sub/s.txt", "s\n");
  git("-C", "sub", "add", "-A");
  git("-C", "sub", "commit", "-q", "-m", "s");
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./sub", "sub");
  git("commit", "-q", "-m", "sub");
  put("sub/s.txt", "changed\n");
  for (const name of ["a.f", "a.p", "a.t", "a.x"]) put(name, "two\n");
  const settings: readonly (readonly [string, string])[] = [
    ["core.fsmonitor", trap("fsmonitor", "exit 1")],
    ["core.pager", trap("pager")],
    ["pager.log", trap("pager_log")],
    ["core.editor", trap("editor")],
    ["core.hooksPath", path("traps")],
    ["core.sshCommand", trap("ssh")],
    ["core.askPass", trap("askpass")],
    ["diff.external", trap("external")],
    ["diff.t.textconv", trap("textconv", 'cat "$1"')],
    ["diff.x.command", trap("driver")],
    ["filter.f.clean", trap("clean")],
    ["filter.f.smudge", trap("smudge")],
    ["filter.p.process", trap("process", "exit 1")],
    ["filter.p.required", "true"],
    ["merge.m.driver", trap("merge")],
    ["gpg.program", trap("gpg")],
    ["gpg.ssh.program", trap("gpg_ssh")],
    ["log.showSignature", "true"],
    ["log.diffMerges", "remerge"],
    ["format.pretty", "%G?"],
    ["pretty.mine", "%h %G?"],
    ["diff.submodule", "diff"],
    ["status.submoduleSummary", "true"],
    ["submodule.recurse", "true"],
    ["alias.log", `!${trap("alias")}`],
    ["alias.st", `!${trap("alias_st")}`],
    ["credential.helper", trap("credential")],
    ["color.ui", "always"],
  ];
  trap("post-index-change");
  trap("reference-transaction");
  for (const [key, value] of settings) git("config", key, value);
  git("-C", "sub", "config", "core.fsmonitor", trap("sub_fsmonitor", "exit 1"));
  git("-C", "sub", "config", "diff.external", trap("sub_external"));
  const variables = {
    ...{ GIT_EXTERNAL_DIFF: trap("env_external"), GIT_PAGER: trap("env_pager"), PAGER: trap("env_pager2") },
    ...{ GIT_SSH_COMMAND: trap("env_ssh"), GIT_EDITOR: trap("env_editor"), GIT_ASKPASS: trap("env_askpass") },
    ...{ GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${trap("env_fsmonitor")}'`, GIT_TRACE: path("traced") },
    ...{ GIT_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere", GIT_INDEX_FILE: "/nowhere", GIT_CONFIG_COUNT: "bad" },
  };
  return { ...scene, root, ran, trap, variables };
}

const ASKED: readonly (readonly [string, readonly string[]])[] = [
  ["status", []],
  ["status", ["--ignored", "--untracked-files=all", "--ignore-submodules=none"]],
  ["log", ["-p", "-m", "--all"]],
  ["log", ["--stat", "--format=mine"]],
  ["log", ["-S", "two", "--pickaxe-all"]],
  ["log", ["-L", "1,1:a.t"]],
  ["diff", []],
  ["diff", ["--ignore-submodules=none", "HEAD"]],
  ["diff", ["--stat", "HEAD~1"]],
  ["diff", ["--word-diff", "--", "a.t", "a.x"]],
  ["show", []],
  ["show", ["--cc", "-p", "HEAD~1"]],
  ["show", ["HEAD:a.t"]],
  ["blame", ["a.t"]],
  ["blame", ["a.f"]],
  ["blame", ["-C", "-C", "a.p"]],
];

test("fault 174 nothing of a hostile repository or environment is run, and not a byte of it changes", async () => {
  const { root, ran, variables, with: over, path } = hostile();
  const { ask } = over({ env: { ...variables } });
  const before = snapshot(root);
  for (const [subcommand, args] of ASKED) {
    const { ok, content, error } = await ask(subcommand, args);
    expect([subcommand, args, ok, error]).toEqual([subcommand, args, true, undefined]);
    expect(content).not.toContain("\u001b");
  }
  expect(Object.keys(snapshot(ran))).toEqual([]);
  expect(existsSync(path("traced"))).toBe(false);
  expect(snapshot(root)).toEqual(before);
});

test("fault 174 the same repository makes plain git run its programs", () => {
  const { root, ran } = hostile();
  const run = (...args: string[]) => {
    try {
      execFileSync("git", args, { cwd: root, stdio: "pipe", timeout: 10_000 });
    } catch {
      // what it ends with is not the question
    }
  };
  run("-c", "filter.p.process=", "-c", "filter.p.required=false", "status");
  run("diff", "--", "a.x", "a.t");
  run("-c", "diff.external=", "diff", "--no-ext-diff", "--", "a.t");
  run("-c", "core.fsmonitor=", "blame", "a.p");
  run("log", "-p", "-m", "--format=medium");
  const names = Object.keys(snapshot(ran)).map((file) => file.slice(ran.length + 1));
  const expected = ["clean", "external", "fsmonitor", "merge", "process", "sub_fsmonitor", "textconv"];
  expect(expected.filter((name) => !names.includes(name))).toEqual([]);
});

test("fault 174 a git in the tree is not the git that is run", async () => {
  const { init, lines, root, put, path, with: over } = repository();
  put("node_modules/.bin/git", `#!/bin/sh\ntouch '${path("RAN")}'\n`);
  execFileSync("chmod", ["+x", join(root, "node_modules/.bin/git")]);
  init();
  expect(await lines("log", ["--format=%s"])).toEqual(["first"]);
  const PATH = `.:${join(root, "node_modules/.bin")}:node_modules/.bin:${process.env["PATH"]}`;
  expect(await over({ env: { PATH } }).lines("log", ["--format=%s"])).toEqual(["first"]);
  expect(existsSync(path("RAN"))).toBe(false);
});

test("fault 174 an object that is missing is not fetched", async () => {
  const { init, git, root, lines, path, put } = repository();
  init();
  const trap = path("upload-pack");
  writeFileSync(trap, `#!/bin/sh\ntouch '${path("RAN")}'\nexec git-upload-pack "$@"\n`, { mode: 0o755 });
  git("clone", "-q", "--bare", ".", "../far.git");
  git("remote", "add", "origin", path("far.git"));
  git("config", "remote.origin.promisor", "true");
  git("config", "remote.origin.uploadpack", trap);
  git("config", "core.repositoryformatversion", "1");
  git("config", "extensions.partialclone", "origin");
  const blob = git("rev-parse", "HEAD:a.txt").trim();
  rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  put("a.txt", "changed\n");
  expect(await lines("diff")).toEqual(["missing_object"]);
  expect(existsSync(path("RAN"))).toBe(false);
});
