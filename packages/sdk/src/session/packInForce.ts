/** The pack that decides about the next call of a run. */
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"

/** The pack in force at the head of a run; `undefined` if it was begun without one. */
export const of = (handle: RunHandle.RunHandle) => Effect.map(withState(handle), ({ pack }) => pack)

/** The same, with the state at the head. */
export const withState = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  const library = yield* PackLibrary.PackLibrary
  const { state, tick } = yield* handle.standing
  return { pack: yield* library.inForce(state, tick + 1), state }
})
