/**
 * Receipts of mutations, and the ways in which a receipt can be made false.
 *
 * A receipt states the requested change. With a twist, the written change differs from it: only a read of the record
 * shows that.
 */

/** The difference between write and request: none, on another target, only in part, or not written. */
export type Twist = "none" | "wrong_target" | "partial" | "lie"

/** The record and the answer that claims it. */
export interface Receipt {
  readonly kind: "booking" | "stay" | "charge" | "refund" | "message"
  readonly id: string
  readonly status: 200 | 201
  readonly body: unknown
}
