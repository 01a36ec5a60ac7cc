/**
 * Outgoing mail as Postmark answers it: sending, and the search of messages by their metadata.
 *
 * A recipient at `bounces.example` bounces, and one at `inactive.example` is refused.
 *
 * @source Postmark, "Email API" and "Messages API"
 */
import { randomUUID } from "node:crypto"
import type { Make } from "./Provider.ts"
import { ok } from "./Provider.ts"
import * as Records from "./Records.ts"

interface Message {
  readonly MessageID: string
  readonly From: string
  readonly Recipients: ReadonlyArray<string>
  readonly Subject: string
  readonly Status: string
  readonly Metadata: Readonly<Record<string, string>>
}

/** The provider. */
export const make: Make = (database) => {
  const messages = Records.make<Message>(database, "postmark.messages")
  return ({ body, headers, method, path, query }) => {
    if (headers["x-postmark-server-token"] === undefined) return ok({ ErrorCode: 10, Message: "No token" }, 401)
    if (method === "POST" && path[0] === "email") {
      const { From, Metadata = {}, Subject, To } = JSON.parse(body)
      if (String(To).endsWith("@inactive.example")) {
        return ok(
          { ErrorCode: 406, Message: "You tried to send to a recipient that has been marked as inactive." },
          422
        )
      }
      const MessageID = randomUUID()
      const Status = String(To).endsWith("@bounces.example") ? "Bounced" : "Sent"
      messages.put(MessageID, { MessageID, From, Recipients: [To], Subject, Status, Metadata })
      return ok({ ErrorCode: 0, Message: "OK", MessageID, To, SubmittedAt: new Date().toISOString() })
    }
    if (method === "GET" && path.join("/") === "messages/outbound") {
      const wanted = [...query].filter(([name]) => name.startsWith("metadata_"))
      const found = messages
        .all()
        .map((each) => each.body)
        .filter((each) => wanted.every(([name, value]) => each.Metadata[name.slice("metadata_".length)] === value))
      return ok({ TotalCount: found.length, Messages: found.slice(0, Number(query.get("count") ?? 50)) })
    }
    return ok({ ErrorCode: 404, Message: "Not found" }, 404)
  }
}
