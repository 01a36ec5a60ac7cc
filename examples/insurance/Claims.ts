/** Claims under the contract, and the books in which payouts are entered. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type { RunHandle } from "@backstitch/runtime/RunHandle"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** The contract. */
export const pack: TaskPack.TaskPack = Result.getOrThrow(
  Yaml.fromYaml(readFileSync(join(import.meta.dirname, "pack.yaml"), "utf8"), { file: "pack.yaml" })
)

/** The books: payments and letters by key. */
export class Books {
  readonly entries = new Map<string, JsonObject>()

  get tools(): ToolExecutor.Tools {
    const enter = (entry: JsonObject, { key = "" }: ToolExecutor.ToolContext) => {
      if (!this.entries.has(key)) this.entries.set(key, entry)
      return this.entries.get(key) ?? null
    }
    const find = async ({ key = "" }: ToolExecutor.ToolContext) => this.entries.get(key)
    return {
      approve_payout: { execute: enter, status: find, readback: find },
      request_info: { execute: enter }
    }
  }
}

/** Services over a store of their own and books. */
export const layer = (books: Books) =>
  Coordinator.layer({ secret: "example" }).pipe(
    Layer.provideMerge(ToolExecutor.layerFrom(books.tools)),
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(TraceStore.layerMemory)
  )

/** Opens a claim: its initial state is the record of the policy system. */
export const open = Effect.fnUntraced(function* (claim: string, limit = "10000.00") {
  const coordinator = yield* Coordinator.Coordinator
  const library = yield* PackLibrary.PackLibrary
  // No screening is required when the claim arrives, so its field does not exist yet, not even with an empty value.
  const { fraud_screened_at: _, ...working } = library.initial(pack).working
  return yield* coordinator.begin(Run.make(claim), {
    pack,
    goal: `settle ${claim}`,
    initial: {
      world: { claim_id: claim, policy_limit: limit, total_paid_to_date: "0.00" },
      working
    }
  })
})

/** A fact that intake or the desk recorded. */
export const recorded = (facts: JsonObject): Proposal => ({ type: "observation.add", data: facts })

/** The report of a screening. */
export const screened: Proposal = {
  type: "artifact.write",
  data: { fraud_screened_at: "2026-03-01T09:00:00+01:00" }
}

/** The intent to pay. */
export const payout = (payment: string, amount: string): Proposal => ({
  tool: "approve_payout",
  params: { payment, amount },
  description: `pay ${amount}`
})

/** The document and the deductible, when they arrive. */
export const complete: JsonObject = {
  proof_of_loss_url: "https://claims.example/loss.pdf",
  deductible_confirmed_at: "2026-02-26T14:30:00+01:00"
}

/** Records facts until the next tick is the given one. */
export const until = Effect.fnUntraced(function* (handle: RunHandle, tick: number) {
  for (;;) {
    const { head } = yield* handle.position
    if (head.tick + 1 >= tick) return
    yield* handle.propose(recorded({ note: `file note ${head.tick}` }))
  }
})

/** The institution extends the contract from a tick on: no payout without a screening. */
export const screening = (tick: number): Proposal => ({
  type: "policy.contract_extension",
  author: "institution",
  data: {
    target_contract: "approve_payout",
    adds_required: ["fraud_screened_at"],
    adds_hash_seeds: ["fraud_screened_at"],
    adds_violations: [
      {
        id: "unscreened_payout",
        scope: ["approve_payout"],
        base_predicate: "!has(working.fraud_screened_at)",
        bisect_predicate: "monotone_lift"
      },
      { id: "unscreened_claim", when: "!has(working.fraud_screened_at)", monotone: "lift" }
    ],
    effective_from_tick: tick,
    approved_by: "head of claims"
  }
})
