/** The local transaction that an action holds open in this process: read, concluded once, and never left open. */
import type { Concluded, Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as Interpreter from "@backstitch/kernel/Interpreter"
import * as Effect from "effect/Effect"
import * as FaultPoint from "../ports/FaultPoint.ts"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"
import type { EdgeError } from "./sealingEdge.ts"

/** The recorded answer of a tool that acted in a local transaction, and that transaction. */
export interface Opened {
  readonly answer: Evidence
  readonly transaction:
    | {
        readonly read: Effect.Effect<Evidence, EdgeError>
        readonly conclude: NonNullable<ToolExecutor.Opened["transaction"]>["conclude"]
      }
    | undefined
}

/** Holds the open transaction of an action. */
export interface Holder {
  transaction?: Opened["transaction"]
}

/** Calls the tool in a transaction, which stays open for the holder. */
export const open = <E>(holder: Holder, opens: Effect.Effect<Opened, E>): Effect.Effect<Evidence, E> =>
  Effect.uninterruptible(
    Effect.map(opens, ({ answer, transaction }) => {
      holder.transaction = transaction
      return answer
    })
  )

/** Reads the record inside the transaction. */
export const read = ({ transaction }: Holder): Effect.Effect<Evidence, EdgeError> =>
  transaction?.read ?? Effect.succeed({ _tag: "Unknown", reason: Finding.make("answer.transaction_closed", {}) })

/**
 * Ends the transaction, once. A commit that comes too late is a rollback (decision 0036). `undefined` if no answer of
 * the store arrived.
 */
export const conclude = (
  holder: Holder,
  next: Interpreter.TransactionEnd,
  now: Effect.Effect<number>
): Effect.Effect<Concluded | undefined> =>
  Effect.gen(function* () {
    yield* FaultPoint.at("conclude/before")
    const { transaction } = holder
    if (transaction === undefined) return undefined
    delete holder.transaction
    const how = Interpreter.endOf(next, yield* now)
    const { _tag } = yield* Effect.uninterruptible(transaction.conclude(how))
    yield* FaultPoint.at("conclude/answered")
    return _tag === "Ok" ? (how === "commit" ? "committed" : "rolled_back") : undefined
  })

/** Aborts a transaction that is still open. */
export const abandon = (holder: Holder): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { transaction } = holder
    delete holder.transaction
    return transaction === undefined ? Effect.void : Effect.asVoid(transaction.conclude("roll_back"))
  })
