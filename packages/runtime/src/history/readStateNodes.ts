/** Reads the tables and lists of an initial state, node by node. */
import * as Snapshot from "@backstitch/reducer/Snapshot"
import type { Digest } from "@backstitch/trace/Digest"
import * as Node from "@backstitch/trace/Node"
import * as Effect from "effect/Effect"
import * as PackLibrary from "./PackLibrary.ts"

/**
 * Texts of all nodes below an initial state, as the store has them; `undefined` for a node that the store does not
 * have.
 */
export const readStateNodes = Effect.fnUntraced(function* (initial: string) {
  const library = yield* PackLibrary.PackLibrary
  const found = new Map<Digest, string | undefined>()
  let below: ReadonlyArray<Digest> = Snapshot.roots(initial.slice(initial.indexOf("\n") + 1))
  const node = yield* library.nodes(below)
  while (below.length > 0) {
    const fresh = below.filter((digest) => !found.has(digest))
    for (const digest of fresh) found.set(digest, node(digest))
    below = fresh.flatMap((digest) => Node.children(found.get(digest) ?? ""))
  }
  return found
})
