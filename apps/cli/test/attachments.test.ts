import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicMessages } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { storedMessages } from "./database.ts";
import { conversationIn, type model as Model, model, type Place, place } from "./scene.ts";

const png = (size = 40): Buffer => Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(size - 8, 7)]);
const PICTURES = {
  "a.png": png(),
  "b.jpg": Buffer.from("ffd8ffe000", "hex"),
  "c.gif": Buffer.from("GIF89a;"),
  "d.webp": Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1"),
};
const hash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString("base64")}`;

/** A place with these files in its working directory, and a model that answers. */
async function scene(
  files: Readonly<Record<string, string | Buffer>>,
  answers = 1,
  more: Parameters<typeof Model>[1] = {},
) {
  const llm = await model(Array(answers).fill({ say: "seen" }), more);
  const here = place({ config: llm.config });
  for (const [name, content] of Object.entries(files)) put(here, name, content);
  return { llm, here, said: (n: number) => conversationIn(llm.requests[n - 1]).at(-1)?.content };
}

const put = (here: Place, name: string, content: string | Buffer): void => {
  mkdirSync(join(here.cwd, name, ".."), { recursive: true });
  writeFileSync(join(here.cwd, name), content);
};

describe("@FILE in a prompt", () => {
  test("a text file is appended under its path, each once, wherever the prompt names it", async () => {
    const { here, said } = await scene({ "notes.txt": "\ufeffone\ntwo\n", "src/my file.ts": "x();", "empty.md": "" });
    const prompt = 'compare @notes.txt with (@"src/my file.ts"), @./notes.txt and @empty.md.';
    const end = await here.run(["-p", prompt]);
    expect([end.code, end.stdout]).toEqual([0, "seen\n"]);
    expect(said(1)).toBe(
      [prompt, "notes.txt:\none\ntwo\n", "src/my file.ts:\nx();", "empty.md:\n(empty)"].join("\n\n"),
    );
  });

  test("a text is cut at 50,000 characters, and that is said", async () => {
    const text = "naïve 音🌍 ".repeat(50_000);
    const { here, said } = await scene({ "big.txt": text, "edge.txt": "x".repeat(50_000) });
    await here.run(["-p", "@big.txt @edge.txt"]);
    const bytes = Buffer.byteLength(text);
    const cut = `big.txt:\n${text.slice(0, 50_000)}\n[cut: these are the first 50000 characters of ${bytes} bytes]`;
    expect(said(1)).toBe(["@big.txt @edge.txt", cut, `edge.txt:\n${"x".repeat(50_000)}`].join("\n\n"));
  });

  test.each([
    ["missing.txt", "@missing.txt: there is no such file. Name one, or write \\@missing.txt for a plain word."],
    ["src", "@src is a folder: name a file in it."],
    ["binary.bin", "@binary.bin is neither a text nor a png, jpeg, gif or webp picture."],
    ["big.png", "@big.png is a picture of 5.1 MB; at most 5 MB can be sent. Make it smaller."],
    ["pipe", "@pipe is no regular file and is not read."],
    ["notes.txt/x", "@notes.txt/x: there is no such file. Name one, or write \\@notes.txt/x for a plain word."],
  ])("@%s is exit 2 in a one-shot, before any request", async (name, message) => {
    const { here } = await scene({ "notes.txt": "n", "src/a.ts": "a", "binary.bin": Buffer.from([1, 0, 2]) }, 0);
    if (name === "big.png") put(here, name, png(5.1 * 2 ** 20));
    if (name === "pipe") execFileSync("mkfifo", [join(here.cwd, name)]);
    const { code, stdout, stderr } = await here.run(["-p", `look at @${name}, please`]);
    expect([code, stdout, stderr]).toEqual([2, "", `smith: ${message}\n`]);
  });

  test("an @ inside a word, an escaped one, and whatever is piped in name no file", async () => {
    const { here, said } = await scene({ "notes.txt": "secret" });
    const prompt = "mail bob@notes.txt about \\@Injectable and @ alone";
    const end = await here.run(["-p", prompt], { stdin: "@@ -1 +1 @@\n@notes.txt\n@missing\n" });
    expect(end.code).toBe(0);
    expect(said(1)).toBe("mail bob@notes.txt about @Injectable and @ alone\n\n@@ -1 +1 @@\n@notes.txt\n@missing\n");
  });

  test("in the shell a missing file is a notice, and the line is sent all the same", async () => {
    const { here, said } = await scene({ "notes.txt": "n" }, 2);
    const end = await here.run([], { stdin: "read @notes.txt and @gone.txt\n/mode plan\nagain\n" });
    expect([end.code, said(1), said(2)]).toEqual([0, "read @notes.txt and @gone.txt\n\nnotes.txt:\nn", "again"]);
    expect(end.stderr).toContain(
      "smith: @gone.txt: there is no such file. Name one, or write \\@gone.txt for a plain word.\n",
    );
  });
});

describe("pictures", () => {
  test("a picture goes along as one, is kept by its hash, and comes back with the conversation", async () => {
    const { llm, here, said } = await scene(PICTURES, 2);
    const end = await here.run(["-p", "what are @a.png @b.jpg @c.gif @d.webp?"]);
    expect([end.code, end.stderr.split("\n").length]).toEqual([0, 2]);
    const parts = [
      { type: "text", text: "what are @a.png @b.jpg @c.gif @d.webp?" },
      ...(["png", "jpeg", "gif", "webp"] as const).map((type, at) => ({
        type: "image_url",
        image_url: { url: dataUrl(type, Object.values(PICTURES)[at] ?? png()) },
      })),
    ];
    expect(said(1)).toEqual(parts);
    expect(storedMessages(here.database)[0]?.content).toEqual([
      parts[0],
      ...Object.values(PICTURES).map((bytes, at) => ({
        type: "image",
        media_type: `image/${["png", "jpeg", "gif", "webp"][at]}`,
        blob: hash(bytes),
      })),
    ]);
    await here.run(["-p", "and now?", "-c"]);
    expect(conversationIn(llm.requests[1]).map(({ content }) => content)).toEqual([parts, "seen", "and now?"]);
  });

  test("a name may say anything: what counts is how a file begins", async () => {
    const { here, said } = await scene({ "shot.txt": png(), "text.png": "no picture" });
    await here.run(["-p", "@shot.txt @text.png"]);
    expect(said(1)).toEqual([
      { type: "text", text: "@shot.txt @text.png\n\ntext.png:\nno picture" },
      { type: "image_url", image_url: { url: dataUrl("png", png()) } },
    ]);
  });

  test("a model that takes no pictures is not asked: exit 2, nothing stored", async () => {
    const { here } = await scene(PICTURES, 0);
    const end = await here.run(["-p", "what is @a.png?", "--model", "demo"]);
    expect([end.code, end.stdout, end.stderr.split("\n").at(-2)]).toEqual([
      2,
      "",
      "smith: demo (no language model) of demo takes no images. Choose another model, or leave the pictures out.",
    ]);
    expect(storedMessages(here.database)).toEqual([]);
  });

  test("the shell says so, goes on, and Anthropic is sent a picture in its own form", async () => {
    const llm = await model([{ say: "a dog" }], { wire: anthropicMessages });
    const provider = { name: "a", kind: "anthropic", api_url: llm.url, model: "m", headers: { "x-api-key": "k" } };
    const here = place({ config: { providers: [provider] } });
    put(here, "a.png", png());
    const end = await here.run([], { stdin: "/model demo\nwhat is @a.png?\n/model a:m\nand @a.png?\n" });
    expect(end.stderr).toContain("takes no images");
    const messages = (llm.requests[0]?.body as { messages?: unknown } | undefined)?.messages;
    const source = { type: "base64", media_type: "image/png", data: png().toString("base64") };
    const cache_control = { type: "ephemeral" };
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "and @a.png?" },
          { type: "image", source, cache_control },
        ],
      },
    ]);
  });
});
