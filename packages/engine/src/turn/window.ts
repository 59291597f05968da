import type { Message } from "@smith/contract/message";
import { type Edges, isMoved } from "./edges.ts";
import type { Keys } from "./left-out.ts";
import type { Size } from "./size.ts";
import { createViews, type Standing } from "./view.ts";

export interface WindowSettings {
  readonly enabled: boolean;
  /** Newest tool rounds that stay as they are. */
  readonly keep_rounds: number;
  /** Outputs up to this many characters are never elided. */
  readonly elide_over_chars: number;
  /** The edge moves when what lies beyond it is this many times the tail; 0: every round. */
  readonly elide_step: number;
  readonly threshold_pct: number;
  /** Where dropping stops. */
  readonly drop_to_pct: number;
  /** Tokens of the model. */
  readonly context_window: number;
  /** Tokens of the tool specs, which go with each request. */
  readonly overhead: number;
}

export interface Moved {
  /** Outputs newly elided, messages newly dropped. */
  readonly elided: number;
  readonly dropped: number;
}

export interface Fitted {
  readonly messages: readonly Message[];
  readonly edges: Edges;
  /** Null when the request only grew. */
  readonly moved: Moved | null;
  /** Tokens as counted, before calibration. */
  readonly estimate: number;
  /** The position in `messages` behind the last one that is elided or left out; 0: none is. */
  readonly edge: number;
}

export interface Window {
  /**
   * The model's view of a transcript. Nothing is changed; what is left out has a key in its place. Where the transcript
   * is the last one grown and no edge moves, the work is proportional to what is new.
   * @param cold the provider's cache of the prefix is gone anyway: an edge may move for nothing.
   * @param most tokens it must fit into, where the provider refused what the settings allow.
   */
  fit(transcript: readonly Message[], edges: Edges, cold: boolean, most?: number): Fitted;
  /** What newly left the requests when the edges moved from here to there; a summarised message is not dropped. */
  moved(transcript: readonly Message[], before: Edges, after: Edges): Moved;
  /** How each message of a transcript stands, and its size as counted. */
  standings(transcript: readonly Message[], edges: Edges): readonly (Size & { readonly standing: Standing })[];
}

export function createWindow(settings: WindowSettings, keys: Keys): Window {
  const views = createViews(settings.elide_over_chars, keys);
  const { sums } = views.ledger;
  const { ends, begins, users } = views.ledger.rounds;
  const limit = (settings.context_window * settings.threshold_pct) / 100;
  const target =
    settings.elide_step === 0 ? limit : Math.min(limit, (settings.context_window * settings.drop_to_pct) / 100);
  const sum = (of: readonly number[], from: number, to: number): number => (of[to] ?? 0) - (of[from] ?? 0);

  /** Where the verbatim tail begins. */
  const tailStart = (length: number): number =>
    settings.keep_rounds === 0 ? length : (begins.at(-settings.keep_rounds) ?? 0);

  const elide = (length: number, edges: Edges, forced: boolean): Edges => {
    const tail = tailStart(length);
    if (tail <= edges.elided) return edges;
    const waiting = sum(sums.elidable, edges.elided, tail);
    const enough = waiting >= settings.elide_step * sum(sums.chars, tail, length);
    return waiting > 0 && (forced || enough) ? { ...edges, elided: tail } : edges;
  };

  /** Whole rounds go, oldest first, until it fits; then the user's lines but the first and the last. */
  const drop = (transcript: readonly Message[], edges: Edges, most: number): Edges => {
    const fits = (tried: Edges) => views.tokens(transcript, tried) <= most;
    const cuts = ends.filter((index) => index > edges.dropped);
    let [low, high] = [0, cuts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits({ ...edges, dropped: cuts[middle] ?? 0 })) high = middle;
      else low = middle + 1;
    }
    const dropped = cuts[low];
    if (dropped !== undefined) return { ...edges, dropped };
    return { ...edges, dropped: cuts.at(-1) ?? edges.dropped, users: Math.max(edges.users, users.at(-1) ?? 0) };
  };

  const moved = (transcript: readonly Message[], before: Edges, after: Edges): Moved => {
    const from = Math.max(before.dropped, after.summary?.upto ?? 0);
    return {
      elided: transcript.slice(before.elided, after.elided).filter(views.isElidable).length,
      dropped: transcript.slice(from, after.dropped).filter((message) => message.role !== "user").length,
    };
  };

  return Object.freeze<Window>({
    moved,
    fit(transcript, before, cold, most = Number.POSITIVE_INFINITY): Fitted {
      views.follow(transcript);
      const { length } = transcript;
      if (!settings.enabled) {
        const estimate = sum(sums.pinned, 0, length) + sum(sums.whole, 0, length);
        return { messages: transcript, edges: before, moved: null, estimate, edge: 0 };
      }
      const over = (edges: Edges) =>
        (views.tokens(transcript, edges) + settings.overhead) * edges.ratio > Math.min(limit, most);
      let edges = elide(length, before, cold);
      if (over(edges)) edges = elide(length, edges, true);
      if (over(edges)) edges = drop(transcript, edges, Math.min(target, most) / edges.ratio - settings.overhead);
      const messages = views.view(transcript, edges);
      const verbatim = length - Math.max(edges.elided, edges.dropped);
      return {
        ...{ messages, edges, estimate: views.tokens(transcript, edges) },
        moved: isMoved(before, edges) ? moved(transcript, before, edges) : null,
        edge: verbatim === length ? 0 : Math.max(0, messages.length - verbatim),
      };
    },
    standings(transcript, edges) {
      views.follow(transcript);
      const all = views.standings(transcript, edges);
      return settings.enabled ? all : all.map((each) => ({ ...each, standing: "sent" as const }));
    },
  });
}
