/**
 * Extends the pack of a run while the run goes on: by required fields, by hash seeds and by violations.
 *
 * An extension is a transition of the institution, with the name of whoever approved it. It applies from a later tick,
 * changes nothing before it, and only adds. The kernel checks it against the pack in force, and refuses it otherwise.
 *
 * @source Dendrer, section 4.4 (controlled contract evolution)
 */
import type * as PackExtension from "@backstitch/contracts/PackExtension"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Coordinator from "../run/Coordinator.ts"

/** The keys of an extension that its author may give; the others follow from the run and the approval. */
export type Additions = Partial<Omit<PackExtension.PackExtension, "approved_by">>

/**
 * Proposes an extension to a run. It extends the whole pack, in force from the tick after the extension, unless it
 * says otherwise.
 */
export const extend = Effect.fn("PackExtending.extend")(function* (
  run: Run,
  additions: Additions | JsonObject,
  approvedBy: string
) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.reopen(run)
  const data = { ...(additions as JsonObject), approved_by: approvedBy }
  return yield* handle.propose({ type: "policy.contract_extension", author: "institution", data })
})
