import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import hostedGitInfo from "hosted-git-info";
import { expect, test } from "vitest";
import { originIn } from "../src/git-config.ts";
import { normaliseOrigin, withoutCredentials } from "../src/origin.ts";
import { createProjects, type Project } from "../src/project.ts";
import { model, place } from "./place.ts";

/** Ways to write one repository. */
const SAME = [
  "git@example.org:o/r.git",
  "git@example.org:o/r",
  "git@example.org:/o/r.git",
  "git@example.org:o//r.git/",
  "example.org:o/r.git",
  "GIT@Example.Org:o/r.git",
  "[git@example.org:2222]:o/r.git",
  "[example.org:2222]:o/r.git",
  "ssh://git@example.org/o/r.git",
  "ssh://example.org/o/r",
  "ssh://git@example.org:2222/o/r.git",
  "SSH://git@EXAMPLE.ORG/o/r.git",
  "git+ssh://git@example.org/o/r.git",
  "ssh+git://git@example.org/o/r.git",
  "https://example.org/o/r.git",
  "https://example.org/o/r",
  "https://example.org/o/r/",
  "https://example.org/o/r.git/",
  "https://example.org:443/o/r.git",
  "https://example.org./o/r.git",
  "https://www.example.org/o/r.git",
  "https://example.org/o/%72.git",
  "https://example.org/o/r.git?private_token=ghp_SECRET123",
  "https://example.org/o/r.git#main",
  "https://bob@example.org/o/r.git",
  "https://bob:ghp_SECRET123@example.org/o/r.git",
  "https://bob:ghp_SECRET123@@example.org/o/r.git",
  "https://bob:ghp_SEC/RET123@example.org/o/r.git",
  "https://ghp_SECRET123@EXAMPLE.org:443/o/r",
  "bob:ghp_SECRET123@example.org/o/r.git",
  "ssh://git:ghp_SECRET123@example.org/o/r.git",
  "http://example.org/o/r.git",
  "git://example.org/o/r.git",
  "git://example.org:9418/o/r",
  "git+https://example.org/o/r.git",
  "  https://example.org/o/r.git  ",
  "cache::https://example.org/o/r.git",
];
const FILES = [
  "/srv/git/r.git",
  "/srv/git/r",
  "/srv//git/r.git/",
  "file:///srv/git/r.git",
  "file:///srv/git/r/",
  "file://localhost/srv/git/r.git",
  "FILE:///srv/git/r",
];
/** On the hosts that the oracle knows; each in several forms. */
const HOSTED = [
  "github.com/o/r",
  "gitlab.com/o/r",
  "gitlab.com/o/sub/r",
  "bitbucket.org/o/r",
  "git.sr.ht/~o/r",
].flatMap((at) => {
  const [host = "", ...path] = at.split("/");
  const rest = path.join("/");
  return [
    `git@${host}:${rest}.git`,
    `ssh://git@${host}/${rest}.git`,
    `git+ssh://git@${host}/${rest}.git`,
    `https://${host}/${rest}.git`,
    `https://bob:ghp_SECRET123@${host}/${rest}.git`,
    `https://www.${host}/${rest}`,
  ];
});
const id = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
const findProject = (cwd: string): Project => createProjects()(cwd);

test(`PS13 SSH, scp, HTTPS and git addresses of one repository are one project; file forms are one too: ${SAME.length + FILES.length} of them`, () => {
  expect(SAME.map((url) => [url, normaliseOrigin(url)])).toEqual(SAME.map((url) => [url, "example.org/o/r"]));
  expect(FILES.map((url) => [url, normaliseOrigin(url)])).toEqual(FILES.map((url) => [url, "file/srv/git/r"]));
  const others = [
    "git@example.org:o/r.git",
    "git@example.org:o/R.git",
    "git@example.com:o/r.git",
    "git@example.org:o/r2.git",
    "git@example.org:o/r.github",
    "git@example.org:o/.git",
    "/example.org/o/r",
    "ext::ssh example.org o/r",
  ];
  expect(new Set(others.map(normaliseOrigin)).size).toBe(others.length);
});

test(`PS13 on the hosts that hosted-git-info knows, ${HOSTED.length} addresses are the repository it says`, () => {
  const said = HOSTED.map((url) => {
    const info = hostedGitInfo.fromUrl(url);
    // It takes no ssh:// address of this one host, although git does.
    if (info === undefined && url.startsWith("ssh://git@git.sr.ht/")) return [url, "git.sr.ht/~o/r"];
    return [url, info === undefined ? "unknown" : `${info.domain}/${info.user}/${info.project}`];
  });
  expect(HOSTED.map((url) => [url, normaliseOrigin(url)])).toEqual(said);
});

test("PS13 a host's other names for SSH are the host, and Azure's four ways are one", () => {
  const told: Readonly<Record<string, string>> = {
    "ssh://git@ssh.github.com:443/o/r.git": "github.com/o/r",
    "ssh://git@altssh.gitlab.com:443/o/r.git": "gitlab.com/o/r",
    "git@ssh.dev.azure.com:v3/org/p/r": "dev.azure.com/org/p/r",
    "https://org@dev.azure.com/org/p/_git/r": "dev.azure.com/org/p/r",
    "https://org.visualstudio.com/DefaultCollection/p/_git/r": "dev.azure.com/org/p/r",
    "org@vs-ssh.visualstudio.com:v3/org/p/r": "dev.azure.com/org/p/r",
    "git@[::1]:o/r.git": "::1/o/r",
    "ssh://git@[::1]:2222/o/r.git": "::1/o/r",
    "C:\\src\\r.git": "file/C:/src/r",
  };
  expect(Object.fromEntries(Object.keys(told).map((url) => [url, normaliseOrigin(url)]))).toEqual(told);
});

test("B79 PS13 fault 213 an address is shown without password, token and query, whatever its form", () => {
  expect([...SAME, ...HOSTED].filter((url) => /SECRET123|SEC.RET/.test(`${withoutCredentials(url)}`))).toEqual([]);
  const shown = ["https://bob:t@example.org:8443/o/r.git", "ssh://git:t@example.org:22/o/r", "git@example.org:o/r.git"];
  expect(shown.map(withoutCredentials)).toEqual([
    "https://example.org:8443/o/r.git",
    "ssh://git@example.org:22/o/r",
    "git@example.org:o/r.git",
  ]);
  expect(withoutCredentials("ext::sh -c 'curl -H token:t %S'")).toBe(null);
});

test("PS13 the origin is read as git reads its configuration", () => {
  const configs: readonly (readonly [string, string | null])[] = [
    ['[remote "origin"]\n\turl = git@e.org:o/r.git\n', "git@e.org:o/r.git"],
    ['[REMOTE "origin"] URL = "a b.git" ; said twice\n\turl = c\n', "a b.git"],
    ['[remote "other"]\nurl = a\n[remote "origin"]\n# url = b\nfetch = x\nurl = c # the one\n', "c"],
    ["[remote.origin]\r\nurl = c\r\n", "c"],
    ['[remote "origin"]\nurl = https://e.org/\\\no/r\n', "https://e.org/o/r"],
    ['[remote "Origin"]\nurl = c\n', null],
    ['[remote "origin"]\npushurl = c\n', null],
    ["", null],
  ];
  expect(configs.map(([text]) => [text, originIn(text)])).toEqual(configs);
});

test("PS13 the id is the first 16 hex digits of the SHA-256 of the one form, in a subfolder and a second checkout too", () => {
  const ids = [SAME[0], SAME[14], SAME[25]].map((url = "") => {
    const here = place();
    here.git("init", "-q");
    here.git("remote", "add", "origin", url);
    mkdirSync(join(here.cwd, "a", "b"), { recursive: true });
    return [findProject(here.cwd).project_id, findProject(join(here.cwd, "a", "b")).project_id];
  });
  expect(ids).toEqual(ids.map(() => [id("example.org/o/r"), id("example.org/o/r")]));
});

test("PS13 without an origin it is the first commit, in a copy and a worktree too; without commit or git the path", () => {
  const [here, bare] = [place(), place()];
  expect(findProject(bare.cwd).project_id).toBe(id(bare.cwd));
  const find = createProjects();
  here.git("init", "-q");
  expect(find(here.cwd).project_id).toBe(id(here.cwd));
  const commit = (message: string) =>
    here.git("-c", "user.name=t", "-c", "user.email=t@e.org", "commit", "-q", "--allow-empty", "-m", message);
  commit("first");
  const first = readFileSync(join(here.cwd, ".git", "logs", "HEAD"), "utf8").split(" ")[1] ?? "";
  expect(find(here.cwd).project_id).toBe(id(first)); // what was not there before is asked for again
  commit("second");
  const tree = `${here.cwd}-tree`;
  here.git("worktree", "add", "-q", tree);
  cpSync(here.cwd, join(bare.cwd, "copy"), { recursive: true });
  mkdirSync(join(here.cwd, "sub"));
  const places = [here.cwd, join(here.cwd, "sub"), tree, join(bare.cwd, "copy")];
  expect(places.map((at) => findProject(at).project_id)).toEqual(places.map(() => id(first)));
});

test("PS13 a worktree belongs to the project of its repository", () => {
  const here = place();
  here.git("init", "-q");
  here.git("remote", "add", "origin", "git@example.org:o/r.git");
  here.git("-c", "user.name=t", "-c", "user.email=t@e.org", "commit", "-q", "--allow-empty", "-m", "start");
  here.git("worktree", "add", "-q", `${here.cwd}-tree`);
  expect(findProject(`${here.cwd}-tree`)).toEqual({ ...findProject(here.cwd), root: `${here.cwd}-tree` });
});

test("PS13 an origin beside the repository is that path, whoever looks", () => {
  const here = place();
  here.git("init", "-q");
  here.git("remote", "add", "origin", "../up.git");
  expect(findProject(here.cwd).normalized).toBe(`file${resolve(here.cwd, "..", "up")}`);
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

test("PR12 git is asked once for each repository, however many turns begin in it; elsewhere it is asked anew, and with an origin never", () => {
  const [here, other, far] = [place(), place(), place()];
  for (const each of [here, other, far]) each.git("init", "-q");
  far.git("remote", "add", "origin", "git@example.org:o/r.git");
  mkdirSync(join(here.cwd, "sub"));
  const asked: string[] = [];
  const find = createProjects((root) => {
    asked.push(root);
    return "0".repeat(40);
  });
  const ids = [here.cwd, join(here.cwd, "sub"), here.cwd, far.cwd, other.cwd, here.cwd].map(
    (cwd) => find(cwd).project_id,
  );
  expect(asked).toEqual([here.cwd, other.cwd]);
  expect(ids[3]).toBe(id("example.org/o/r"));
});
