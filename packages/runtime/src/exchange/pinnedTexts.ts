/** The texts that a transition pins: packs and initial states. */
import * as Payload from "@backstitch/kernel/Payload"
import * as Digest from "@backstitch/trace/Digest"
import type * as Transition from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import { bodyOf } from "../history/readAncestors.ts"

/** Digests of the pack and of the initial state that a transition pins. */
export const pinnedTexts = (sealed: Transition.Sealed): ReadonlyArray<Digest.Digest> => {
  const body = bodyOf(sealed)
  if (body === undefined) return []
  const { initial, pack } = Payload.of(body, "run.started") ?? {}
  const named = [pack, initial, Payload.of(body, "run.fork")?.pack, Payload.of(body, "run.migrated")?.pack]
  return named.filter(Schema.is(Digest.Digest))
}
