/** What the ids of the notes begin with that a conversation's roles recorded; what follows is the key. */
export const SCRATCHPAD = "scratchpad:";
