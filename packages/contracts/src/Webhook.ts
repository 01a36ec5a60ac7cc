/**
 * How a provider tells of its own accord what became of a request, signed with a secret that both sides know.
 *
 * A delivery is evidence, like an answer: it may end a wait, and what it says
 * is read back. The contract names the secret and says where in the body the
 * key stands; the secret itself is in the environment and in no trace.
 *
 * @source seed 4, HS-03 and "Pending"; issue 3, "Verification as declared"
 * @since 0.1.0
 */
import type * as Expression from "./Expression.ts"

/**
 * What a delivery means, as expressions over `body`.
 *
 * **Details**
 *
 * `secret` names the environment variable of the HMAC secret. `key` is the
 * idempotency key of the request that is told about, `done` whether it took
 * effect, `failed` whether it never will. What is neither is under way.
 *
 * @category models
 * @since 0.1.0
 */
export interface Webhook {
  readonly secret: string
  readonly key: Expression.Expression
  readonly done: Expression.Expression
  readonly failed?: Expression.Expression
  readonly output?: Expression.Expression
}
