import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCleaner } from "../src/clean.ts";
import { editRange, editStrings, type RangeEdit } from "../src/edit-text.ts";
import { createRing } from "../src/ring.ts";
import { byteText, endOf, splitLines, toUnixEnds, withoutEnd } from "../src/text-file.ts";
import { scene } from "./scene.ts";

/** Random numbers that come the same way each time (mulberry32): a failure names its seed. */
function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(choices: readonly [T, ...T[]]): T => choices[below(choices.length)] ?? choices[0];
  return { below, pick };
}

type Random = ReturnType<typeof randomFrom>;

const word = ({ pick, below }: Random) =>
  Array.from({ length: below(4) }, () => pick(["a", "é", "$&", "音", "\xff", " "])).join("");

const randomBody = (random: Random, lines: number) => {
  const body = Array.from(
    { length: lines },
    () => byteText(word(random)) + random.pick(["\n", "\r\n", "\r\r\n", "\r \n"]),
  ).join("");
  return random.below(2) === 0 ? body : body.replace(/\r?\n$/, "");
};

const randomText = (random: Random) =>
  Array.from({ length: 1 + random.below(3) }, () => word(random)).join(random.pick(["\n", "\r\n"])) +
  random.pick(["", "\n"]);

const RUNS = 3000;

/** One random edit by lines, and what must be true of it. */
function editOnce(body: string, random: Random) {
  const lines = splitLines(body);
  const op = random.pick<RangeEdit["op"]>(["replace", "insert", "delete"]);
  const start = 1 + random.below(lines.length);
  const end = start + random.below(lines.length - start + 1);
  const text = randomText(random);
  const after = editRange(body, { op, start, end, text });
  const head = lines.slice(0, start - 1).join("");
  const tail = lines.slice(op === "insert" ? start - 1 : end).join("");
  // Where the end of a file without final newline goes, the line before it may lose its own: the seam.
  const seam = tail === "" && endOf(body) === "" ? head.replace(/\r?\n$/, "") : head;
  const given = op === "delete" ? [] : toUnixEnds(text).replace(/\n$/, "").split("\n").map(byteText);
  const found = splitLines(after.body).slice(start - 1, start - 1 + given.length);
  return {
    kept: after.body.startsWith(seam) && after.body.endsWith(tail) && after.body.length >= seam.length + tail.length,
    counted: splitLines(after.body).length === lines.length + after.delta,
    put: found.map(withoutEnd).join("\n") === given.join("\n"),
  };
}

describe("laws", () => {
  test("TL24 an edit by lines leaves every byte outside its range, for files of mixed line ends", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = randomFrom(seed);
      const body = randomBody(random, 1 + random.below(6));
      if (body !== "")
        expect({ seed, ...editOnce(body, random) }).toEqual({ seed, kept: true, counted: true, put: true });
    }
  });

  test("TL48 an edit by exact text and its reverse give the file back", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = randomFrom(seed);
      const head = randomBody(random, random.below(4));
      const tail = randomBody(random, random.below(4));
      const body = `${head}<MARK>${tail}`;
      const there = editStrings(body, { old_string: "<MARK>", new_string: "[one]é", replace_all: false });
      const back = editStrings(there.body, { old_string: "[one]é", new_string: "<MARK>", replace_all: true });
      expect({ seed, body: back.body, line: there.first }).toEqual({ seed, body, line: head.split("\n").length });
    }
  });

  test("TL17 the cleaner gives the same however the text is cut", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = randomFrom(seed);
      const part = () =>
        random.pick([
          "a",
          "\r",
          "\n",
          "\x1b",
          "[",
          "]",
          "31m",
          "\x07",
          "\0",
          "\x9b",
          "\x9d",
          "(",
          "\\",
          "x;y",
          "\x1b[",
        ]);
      const text = Array.from({ length: 12 }, part).join("");
      const whole = createCleaner();
      const expected = whole.write(text) + whole.end();
      const pieces = createCleaner();
      const cut = [...text].map((c) => pieces.write(c)).join("") + pieces.end();
      expect({ seed, cut }).toEqual({ seed, cut: expected });
    }
  });

  test("TL15 the ring keeps head and tail and counts what is between", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = randomFrom(seed);
      const ring = createRing(20);
      const pieces = Array.from({ length: random.below(30) }, () => "0123456789abcdef".slice(0, random.below(17)));
      for (const piece of pieces) ring.add(piece);
      const all = pieces.join("");
      const cut = `${all.slice(0, 10)}\n[… ${all.length - 20} characters omitted …]\n${all.slice(-10)}`;
      expect({ seed, text: ring.text() }).toEqual({ seed, text: all.length <= 20 ? all : cut });
    }
  });

  test("TL15 the ring never leaves half a character", () => {
    const ring = createRing(6);
    for (const piece of ["ab🌍", "cdefgh", "🌍yz"]) ring.add(piece);
    expect(ring.text()).toBe("ab\n[… 10 characters omitted …]\nyz");
  });

  const specsOf = (wanted: readonly string[]) =>
    scene()
      .tools.filter(({ name }) => wanted.includes(name))
      .map(({ name, description, schema }) => {
        const { $schema, ...parameters } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
        return { name, description, parameters };
      });

  test("the file tools, bash and git cost the model at most 2,600 bytes, each one flat object", () => {
    const specs = specsOf(["bash", "read", "write", "edit", "git"]);
    expect(specs.map(({ name, parameters }) => [name, parameters.type, parameters.required])).toEqual([
      ["bash", "object", undefined],
      ["read", "object", ["path"]],
      ["write", "object", ["path", "content"]],
      ["edit", "object", ["path"]],
      ["git", "object", ["subcommand"]],
    ]);
    expect(Buffer.byteLength(JSON.stringify(specs))).toBeLessThan(2600);
  });

  test("the web tools that are always offered cost the model at most 700 bytes, and no tool is left unweighed", () => {
    const specs = specsOf(["web_search", "web_fetch"]);
    expect(specs.map(({ name, parameters }) => [name, parameters.type, parameters.required])).toEqual([
      ["web_search", "object", ["query"]],
      ["web_fetch", "object", ["url"]],
    ]);
    expect(Buffer.byteLength(JSON.stringify(specs))).toBeLessThan(700);
    const weighed = /^(?:bash|read|write|edit|git|web_search|web_fetch|code_.*)$/;
    expect(scene().tools.flatMap(({ name }) => (weighed.test(name) ? [] : [name]))).toEqual([
      ...["http_request", "list_dir", "process_list", "disk_usage", "env_get"], // off by default
    ]);
  });
});
