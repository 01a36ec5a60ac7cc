/** The arguments of a call as a run commits them: in the form of the contract, with sensitive values sealed. */
import * as Quantise from "@backstitch/contracts/Quantise"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type { Proposal } from "@backstitch/kernel/Proposal"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PackInForce from "./packInForce.ts"

/** The arguments of a call; `undefined` if they cannot be committed, as with a sealed value that was erased. */
export const of = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  { params = {}, tool = "" }: Pick<Proposal, "params" | "tool">
) {
  const sealed = yield* handle.seal({ tool, params })
  if (Result.isFailure(sealed)) return undefined
  const input = Field.object(TaskPack.tool(yield* PackInForce.of(handle), tool).input)
  return Quantise.value(input, sealed.success.params ?? {})
})
