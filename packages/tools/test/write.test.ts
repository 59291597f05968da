import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hashText } from "../src/index.ts";
import { scene } from "./scene.ts";

describe("write", () => {
  test("TL25 write makes a file with its directories and tells bytes and hash", async () => {
    const { run, path, text, root } = scene();
    expect(await run("write", { path: "a/b/c.txt", content: "é\n" })).toEqual({
      ok: true,
      content: `created a/b/c.txt (3 bytes) hash ${hashText("é\n")}`,
      files: [{ path: path("a/b/c.txt"), hash_before: null, hash_after: hashText("é\n") }],
    });
    expect(text("a/b/c.txt")).toBe("é\n");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("TL25 overwriting tells the hash of what was there", async () => {
    const { run, put, path, text, root } = scene();
    put("f", "old\n");
    expect(await run("write", { path: "f", content: "" })).toEqual({
      ok: true,
      content: `overwritten f (0 bytes) hash ${hashText("")} (was ${hashText("old\n")})`,
      files: [{ path: path("f"), hash_before: hashText("old\n"), hash_after: hashText("") }],
    });
    expect([text("f"), readdirSync(root)]).toEqual(["", ["f"]]);
  });

  test("B02 B09 the content reaches the disk byte for byte", async () => {
    const { run, text } = scene();
    const content = "<p>R&amp;D &lt;b&gt; it&apos;s &#39;x&#39; \\n \\u0041</p> X=$$ Y=$& Z=$' W=$1 V=$`\r\n\u0001";
    await run("write", { path: "f", content });
    expect(text("f")).toBe(content);
  });

  test("fault 171 TL25 mode bits and symlinks are kept", async () => {
    const { run, put, path, text } = scene();
    chmodSync(put("real.sh", "x"), 0o751);
    symlinkSync("real.sh", path("link"));
    expect((await run("write", { path: "link", content: "y" })).files?.[0]?.path).toBe(path("real.sh"));
    expect([text("real.sh"), statSync(path("real.sh")).mode & 0o7777]).toEqual(["y", 0o751]);
    expect(lstatSync(path("link")).isSymbolicLink()).toBe(true);
  });

  test("TL25 directories, devices and files as parents are refused", async () => {
    const { run, put, path } = scene({ confine: "off" });
    mkdirSync(path("d"));
    put("f", "x");
    const code = async (name: string) => (await run("write", { path: name, content: "" })).error?.code;
    expect(await code("d")).toBe("is_directory");
    expect(await code("new/")).toBe("is_directory");
    expect(await code("/dev/null")).toBe("not_regular");
    expect(await code("f/x")).toBe("not_directory");
    expect((await run("write", { path: "~/x", content: "" })).error?.message).toBe(
      '~/x does not exist: "~" is not expanded. Give an absolute path.',
    );
    expect(existsSync(path("~"))).toBe(false);
  });

  test("TL25 a cancelled call writes nothing", async () => {
    const { run, cancel, path } = scene();
    cancel.request("ctrl-c");
    expect((await run("write", { path: "f", content: "x" })).error?.code).toBe("cancelled");
    expect(existsSync(path("f"))).toBe(false);
  });

  test("TL25 the targets of a call are known before it runs", () => {
    const { tool, context, put, path } = scene();
    put("real", "x");
    symlinkSync("real", path("link"));
    symlinkSync("loop", path("loop"));
    const targets = (name: string, given: string) => tool(name).targets?.({ path: given }, context());
    expect(targets("write", "link")).toEqual([path("real")]);
    expect(targets("edit", "new/file")).toEqual([path("new/file")]);
    expect(targets("write", "loop")).toEqual([path("loop")]);
  });

  test("TL50 the line for people names the path and the size", async () => {
    const { run, tool } = scene();
    const args = { path: "f", content: "é" };
    expect(tool("write").result_renderer?.(args, await run("write", args))).toBe("f (2 B)");
  });
});

describe("confinement", () => {
  // The scenes stand in the system's temp folder, which is always allowed: put another in its place.
  let elsewhere: ReturnType<typeof scene>;
  beforeEach(() => {
    elsewhere = scene();
    mkdirSync(elsewhere.path("temp"));
  });
  afterEach(() => void vi.unstubAllEnvs());
  const confined = (confine: "writes" | "all" | "off") => {
    const inner = scene({ confine });
    vi.stubEnv("TMPDIR", elsewhere.path("temp"));
    return inner;
  };

  test("fault 172 TL14 a write outside the project is refused, also through symlinks, and nothing is made", async () => {
    const { run, path, root, put } = confined("writes");
    put("in", "x\n");
    const out = elsewhere.path("out.txt");
    symlinkSync(elsewhere.root, path("door"));
    symlinkSync(out, path("dangling"));
    symlinkSync(elsewhere.put("there", "y\n"), path("link"));
    for (const given of ["../x", out, "door/out.txt", "dangling", "link", "door/new/deep/x", "/proc/self/root/x"]) {
      for (const [name, rest] of [
        ["write", { content: "z" }],
        ["edit", { old_string: "y", new_string: "z" }],
      ] as const) {
        const { ok, error } = await run(name, { path: given, ...rest });
        expect([given, name, ok, error?.kind, error?.code]).toEqual([given, name, false, "policy", "path_escape"]);
      }
    }
    expect((await run("write", { path: "dangling", content: "" })).error?.message).toBe(
      `dangling escapes ${root}: it leads to ${out}. File tools stay inside the project and the temp folder; services.tool.confine = "off" lifts that.`,
    );
    expect([existsSync(out), elsewhere.text("there")]).toEqual([false, "y\n"]);
  });

  test("TL14 absolute paths inside, the temp folder and names that begin with dots are fine", async () => {
    const { run, path } = confined("writes");
    for (const given of [path("a"), elsewhere.path("temp/t"), "..b", "sub/../c"]) {
      expect([given, (await run("write", { path: given, content: "" })).ok]).toEqual([given, true]);
    }
    expect((await run("write", { path: "x", content: "" }, { project_root: null })).ok).toBe(true);
  });

  test("TL14 off lifts it", async () => {
    const { run } = confined("off");
    expect((await run("write", { path: elsewhere.path("free"), content: "" })).ok).toBe(true);
  });
});
