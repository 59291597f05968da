import { type FileHandle, open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";

export interface Picture {
  readonly media_type: string;
  readonly bytes: Uint8Array;
}

/** A prompt with what it refers to put in. */
export interface Attached {
  readonly text: string;
  readonly images: readonly Picture[];
  /** What could not be put in, one sentence each. */
  readonly faults: readonly string[];
}

/** Characters of a text file. */
const TEXT_CHARS = 50_000;
/** Bytes that hold so many characters whatever they are. */
const TEXT_BYTES = 4 * TEXT_CHARS;
const IMAGE_MB = 5;
/** What is looked at to tell a text from anything else. */
const HEAD_BYTES = 8192;

/** `@path` or `@"a path"` at the beginning of a word. `\@` is a plain @. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s@"]\S*))/g;

/**
 * Puts the files into a prompt that it names as `@FILE`: a text is appended under its path, a picture goes along as one.
 * Each file once, whatever is wrong with one is a fault and leaves the others alone.
 * @param cwd what paths are relative to.
 */
export async function attach(prompt: string, cwd: string): Promise<Attached> {
  const texts: string[] = [];
  const images: Picture[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [, quoted, bare = ""] of prompt.matchAll(MENTION)) {
    const found = await find(quoted === undefined ? spellings(bare) : [quoted], cwd);
    if (seen.has(found.path)) continue;
    seen.add(found.path);
    const read = await readAttachment(found);
    if ("fault" in read) faults.push(read.fault);
    else if ("bytes" in read) images.push(read);
    else texts.push(`${found.name}:\n${read.text}`);
  }
  const text = prompt.replace(/(?<=^|[\s(])\\@/g, "@");
  return { text: [text, ...texts].join("\n\n"), images, faults };
}

interface Found {
  /** As the user wrote it. */
  readonly name: string;
  readonly path: string;
}

/** The word itself, then without the marks that end a sentence or a bracket. */
function spellings(word: string): readonly string[] {
  const bare = word.replace(/[.,;:!?)\]}'"]+$/, "");
  return bare === "" || bare === word ? [word] : [word, bare];
}

/** The first spelling that exists, else the last. */
async function find(names: readonly string[], cwd: string): Promise<Found> {
  const all = names.map((name) => ({ name, path: resolve(cwd, name.replace(/^~(?=\/)/, homedir())) }));
  for (const each of all) if ((await stat(each.path).catch(() => null)) !== null) return each;
  return all.at(-1) ?? { name: "", path: cwd };
}

type Read = { readonly text: string } | Picture | { readonly fault: string };

async function readAttachment({ name, path }: Found): Promise<Read> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { fault: `@${name} is a folder: name a file in it.` };
    // Opening a pipe would wait for ever, and a device may have no end.
    if (!found.isFile()) return { fault: `@${name} is no regular file and is not read.` };
    await using file = await open(path);
    return await readFile(file, { name, size: found.size });
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") return { fault: `@${name} can't be read (${code}).` };
    return { fault: `@${name}: there is no such file. Name one, or write \\@${name} for a plain word.` };
  }
}

async function readFile(file: FileHandle, { name, size }: { name: string; size: number }): Promise<Read> {
  const head = await readUpTo(file, HEAD_BYTES);
  const media_type = mediaTypeOf(head);
  if (media_type === null) {
    if (head.includes(0)) return { fault: `@${name} is neither a text nor a png, jpeg, gif or webp picture.` };
    return { text: textOf(await readUpTo(file, TEXT_BYTES), size) };
  }
  if (size <= IMAGE_MB * 2 ** 20) return { media_type, bytes: await readUpTo(file, size) };
  const mb = (size / 2 ** 20).toFixed(1);
  return { fault: `@${name} is a picture of ${mb} MB; at most ${IMAGE_MB} MB can be sent. Make it smaller.` };
}

function textOf(bytes: Uint8Array, size: number): string {
  const text = new TextDecoder().decode(bytes);
  if (text === "") return "(empty)";
  if (text.length <= TEXT_CHARS && bytes.byteLength === size) return text;
  return `${text.slice(0, TEXT_CHARS).toWellFormed()}\n[cut: these are the first ${TEXT_CHARS} characters of ${size} bytes]`;
}

/** From the beginning of the file. */
async function readUpTo(file: FileHandle, bytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** How files begin, in hex. */
const MAGIC: readonly (readonly [media_type: string, begins: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
];

/** By how the bytes begin: a name may say anything. */
function mediaTypeOf(head: Uint8Array): string | null {
  const begin = Buffer.from(head.subarray(0, 16)).toString("hex");
  return MAGIC.find(([, begins]) => begins.test(begin))?.[0] ?? null;
}
