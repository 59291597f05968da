/** What is undone: the last `n` turns, or all turns from one on. */
export type UndoWhat = { readonly last: number } | { readonly from: string };

/** What an undo did. */
export interface Undone {
  /** Oldest first. */
  readonly turns: readonly string[];
  /** The user's line of the oldest of them. */
  readonly line: string;
  /** Whether that line had pictures, which `line` lacks. */
  readonly had_images: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly what: "restored" | "removed" | "as it was";
    /** The blob that holds what stood there until now; null: nothing did. */
    readonly kept: string | null;
  }[];
  /** Files that stay as they are, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** What can't be told of the turns, a sentence each. */
  readonly notes: readonly string[];
}

export interface UndoHost {
  /**
   * Rewinds the conversation and the files that its turns' tools changed. `files` false: the talk alone.
   * @throws {AgentError} `policy`/`turn_active`, `nothing_to_undo`, or `changed_since` when somebody else changed a file
   * (`data.files`); `persistence`/`conversation_busy`, or when a pre-image can't be read or the present content not kept;
   * `tool`/`undo_failed` when the disk took a file not. Nothing is undone then.
   */
  undo(what: UndoWhat, options: { readonly files: boolean }): Promise<Undone>;
}
