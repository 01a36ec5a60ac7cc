/** The tool, or the page for tests, that an address names. */
import { malformed } from "./DomainError.ts"
import type { Tool } from "./Tool.ts"

/** Pages that serve the tests and no agent. */
export type Page = "health" | "audit" | "list_faults" | "arm_fault" | "clear_faults"

/** The route of an address; `id` is empty if the path names no record. */
export type Route =
  | { readonly to: "tool"; readonly tool: Tool; readonly id: string }
  | { readonly to: "page"; readonly page: Page }

const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ["GET /flights", "search_flights"],
  ["GET /hotels", "search_hotels"],
  ["POST /bookings", "book_flight"],
  ["GET /bookings/:id", "get_booking"],
  ["DELETE /bookings/:id", "cancel_flight"],
  ["POST /bookings/:id/cancel", "cancel_flight"],
  ["POST /stays", "book_hotel"],
  ["GET /stays/:id", "get_stay"],
  ["DELETE /stays/:id", "cancel_hotel"],
  ["POST /stays/:id/cancel", "cancel_hotel"],
  ["POST /charges", "charge_card"],
  ["GET /charges/:id", "get_charge"],
  ["POST /charges/:id/refund", "refund_charge"],
  ["POST /messages", "send_confirmation"],
  ["GET /messages/:id", "get_message"],
  ["GET /status/:id", "status"]
])

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ["GET /health", "health"],
  ["GET /audit", "audit"],
  ["GET /faults", "list_faults"],
  ["POST /faults", "arm_fault"],
  ["DELETE /faults", "clear_faults"]
])

/** Finds the route of a method and a path. */
export const match = (method: string, path: string): Route | undefined => {
  const [, noun = "", id, ...rest] = path.split("/")
  const named = id === undefined ? "" : "/:id"
  const pattern = `${method} /${noun}${named}${rest.map((part) => `/${part}`).join("")}`
  const tool = tools.get(pattern)
  if (tool !== undefined) return id === "" ? undefined : { to: "tool", tool, id: decode(id ?? "") }
  const page = pages.get(pattern)
  return page === undefined ? undefined : { to: "page", page }
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw malformed(`The path has a broken escape in ${part}; encode it as a URI component`)
  }
}
