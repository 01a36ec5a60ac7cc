/** Answers about what waits for a person, and records decisions in the name of the caller. */
import type * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as ReviewsApi from "@backstitch/api/ReviewsApi"
import * as HostedStep from "@backstitch/host/HostedStep"
import * as HeldActions from "@backstitch/runtime/HeldActions"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import type { Json } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Schema from "effect/Schema"
import { answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Error for a role of a pack in which the caller may not decide. */
export class CapacityForeign extends Schema.TaggedError<CapacityForeign>("@backstitch/server/CapacityForeign")(
  "CapacityForeign",
  { caller: Schema.String, asked: Schema.String, capacities: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const has = this.capacities.length === 0 ? "no role of a pack" : this.capacities.join(", ")
    return `The key of ${this.caller} names ${has}, and not ${this.asked}. An admin makes a key that does`
  }
}

/** The role of a pack in which a caller decides: the one that it asks for, or the only one that it has. */
const capacityOf = ({ capacities, name }: Access.CallerFacts, asked: string | undefined) => {
  if (asked === undefined) return Effect.succeed(capacities.length === 1 ? capacities[0] : undefined)
  return capacities.includes(asked)
    ? Effect.succeed(asked)
    : Effect.fail(new CapacityForeign({ caller: name, asked, capacities }))
}

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "reviews", (group) =>
  group.handleAll({
    approvals: () =>
      answer(({ tenant }) => Effect.map(PendingApprovals.ofTenant(tenant), (approvals) => ({ approvals }))),
    decide: (arrived) =>
      Writes.write(
        arrived,
        ReviewsApi.Decided,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          const { role, ...said } = arrived.payload
          const capacity = yield* capacityOf(caller, role)
          const { review } = arrived.params
          const decided = yield* ReviewDecision.decide(run, { ...said, review, by: caller.name, role: capacity })
          const [next = decided.next] = yield* HostedStep.of(run, [decided.next])
          return { ...decided, next }
        })
      ),
    reviews: ({ query: { run } }) =>
      answer(({ tenant }) =>
        Effect.map(HeldActions.list(tenant, run === undefined ? undefined : { tenant, id: run }), (held) => ({ held }))
      ),
    settle: (arrived) =>
      Writes.write(
        arrived,
        ReviewsApi.Settled,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          const { action } = arrived.params
          const { record, ...said } = arrived.payload
          const settlement = {
            action,
            by: caller.name,
            ...said,
            ...(record === undefined ? {} : { record: record as Json })
          }
          const settled = yield* ReviewDecision.settle(run, settlement)
          return { ...settled, next: yield* HostedStep.of(run, settled.next) }
        })
      )
  })
)
