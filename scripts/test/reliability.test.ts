import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("docs/RELIABILITY.md");
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:apps|packages|scripts)\/[^`]+\.ts)`/g)].map(([, path = ""]) => path);

/** The numbers of `1, 3-5`. */
const numbersOf = (text: string) =>
  text.split(", ").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });

/** Each line of the tables of the catalogue: its numbers, what it says, the tests it names. */
const rows = [...page.matchAll(/^\| (\d[\d, -]*) \| (.*) \| (.*) \|$/gm)].map(
  ([, numbers = "", says = "", tests = ""]) => ({
    numbers: numbersOf(numbers),
    isApplicable: !says.startsWith("not applicable: "),
    files: filesIn(tests),
  }),
);

/** The faults that the titles of a test file name. */
const faultsIn = (path: string) =>
  [...read(path).matchAll(/\bfaults? (\d+(?:,? (?:faults? )?\d+)*)/g)].flatMap(([, list = ""]) =>
    (list.match(/\d+/g) ?? []).map(Number),
  );

test("each test file that docs/RELIABILITY.md names is there", () => {
  expect(filesIn(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("each fault of the catalogue, 1 to 236, stands in the tables once", () => {
  const all = Array.from({ length: 236 }, (_, at) => at + 1);
  expect(rows.flatMap(({ numbers }) => numbers).sort((a, b) => a - b)).toEqual(all);
});

test("the tests that a row names have its faults in their titles, each file one at least", () => {
  const wrong = rows.flatMap(({ numbers, isApplicable, files }) => {
    const named = files
      .filter((path) => !path.endsWith("/suite.test.ts"))
      .map((path) => ({ path, faults: faultsIn(path) }));
    const proven = new Set(named.flatMap(({ faults }) => faults));
    return [
      ...numbers.filter((number) => isApplicable && !proven.has(number)).map((number) => `${number}: in no title`),
      ...named
        .filter(({ faults }) => !numbers.some((number) => faults.includes(number)))
        .map(({ path }) => `${path}: has none of ${numbers.join(", ")}`),
    ];
  });
  expect(wrong).toEqual([]);
});
