import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const { provenRows } = await import(pathToFileURL(join(import.meta.dirname, "..", "features.mjs")).href);

const told = (...titles: string[]) => [...provenRows(titles.map((title) => ({ title, file: "a", status: "passed" })))];
const row = (id: string, sentence: string) => [id, [{ sentence, file: "a" }]];

test("a title proves the rows at its head, with a colon behind the last of them or without", () => {
  expect(told("TL22 TL24 edit keeps CRLF")).toEqual([row("TL22", "edit keeps CRLF"), row("TL24", "edit keeps CRLF")]);
  expect(told("G19 G20: it is idle")).toEqual([row("G19", "it is idle"), row("G20", "it is idle")]);
  expect(told("B96, G25 fault 236: nothing is lost").map(([id]) => id)).toEqual(["B96", "G25"]);
  expect(told("A1 API: the program as it stands")).toEqual([row("A1", "API: the program as it stands")]);
});

test("what is no row, stands further back, or did not pass proves nothing", () => {
  expect(
    told("fault 236: nothing is lost", "decision 5: a ceiling", "ZZ9 no such area", "an id TL22 in the middle"),
  ).toEqual([]);
  expect([...provenRows([{ title: "TL22 edit", file: "a", status: "failed" }])]).toEqual([]);
});
