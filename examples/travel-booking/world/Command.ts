/**
 * A request that changes the world, read and checked.
 *
 * The fields have a fixed order, so the JSON of a command is the same for every body with the same meaning.
 */
import * as Input from "./Input.ts"
import type { Mutation } from "./Tool.ts"

/** A command to the world, by tool. */
export type Command =
  | { readonly tool: "book_flight"; readonly flight: string; readonly traveller: string }
  | { readonly tool: "cancel_flight"; readonly pnr: string }
  | {
      readonly tool: "book_hotel"
      readonly hotel: string
      readonly guest: string
      readonly from: string
      readonly nights: number
    }
  | { readonly tool: "cancel_hotel"; readonly stay: string }
  | {
      readonly tool: "charge_card"
      readonly card: string
      readonly amount: number
      readonly currency: string
      readonly reference: string
    }
  | { readonly tool: "refund_charge"; readonly charge: string; readonly amount: number | null }
  | { readonly tool: "send_confirmation"; readonly to: string; readonly template: string; readonly body: string | null }

/** Reads a command from the id in its path and its body. */
export const parse = (tool: Mutation, id: string, body: string): Command => {
  switch (tool) {
    case "book_flight": {
      const fields = Input.fromBody(body, ["flight", "traveller"])
      return { tool, flight: Input.text(fields, "flight"), traveller: Input.text(fields, "traveller") }
    }
    case "cancel_flight":
      Input.fromBody(body, [])
      return { tool, pnr: id }
    case "book_hotel": {
      const fields = Input.fromBody(body, ["hotel", "guest", "from", "nights"])
      return {
        tool,
        hotel: Input.text(fields, "hotel"),
        guest: Input.text(fields, "guest"),
        from: Input.date(fields, "from"),
        nights: Input.integer(fields, "nights", { min: 1, max: 30 })
      }
    }
    case "cancel_hotel":
      Input.fromBody(body, [])
      return { tool, stay: id }
    case "charge_card": {
      const fields = Input.fromBody(body, ["card", "amount", "currency", "reference"])
      return {
        tool,
        card: Input.text(fields, "card"),
        amount: Input.amount(fields, "amount"),
        currency: Input.currency(fields, "currency"),
        reference: Input.text(fields, "reference")
      }
    }
    case "refund_charge": {
      const fields = Input.fromBody(body, ["amount"])
      return { tool, charge: id, amount: fields["amount"] === undefined ? null : Input.amount(fields, "amount") }
    }
    case "send_confirmation": {
      const fields = Input.fromBody(body, ["to", "template", "body"])
      return {
        tool,
        to: Input.text(fields, "to"),
        template: Input.text(fields, "template"),
        body: fields["body"] === undefined ? null : Input.text(fields, "body")
      }
    }
  }
}
