/** The way from a store that is open to its session, for adapters. */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import { BackstitchError } from "../failures/Failures.ts"
import type { Session } from "../session/Session.ts"

/** The session of a store that is open, and the pack under which its runs begin. */
export interface OpenSession {
  readonly session: Session
  readonly pack: TaskPack.TaskPack | undefined
}

/** Registered, so that it is known to an adapter that has another copy of this package. */
const inside = Symbol.for("@backstitch/sdk/inside@1")

/** Gives a store the way to its session. */
export const given = <A extends object>(backstitch: A, it: OpenSession): A =>
  Object.defineProperty(backstitch, inside, { value: it })

/** The session of a store. */
export const of = (store: object): OpenSession => {
  const found = (store as { readonly [inside]?: OpenSession })[inside]
  if (found !== undefined) return found
  const message =
    "An adapter needs an open store of this package, and was given something else, or one of another version"
  throw new BackstitchError({ code: "store_unknown", message })
}
