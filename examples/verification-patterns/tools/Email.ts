/** Sends a message, proven by its status at the provider. */
import { createHash } from "node:crypto"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A letter that is sent. */
export interface Letter {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The arguments of the tool: the letter, and the digests by which it is recognised. */
export const args = (letter: Letter) => ({ ...letter, subjectHash: hash(letter.subject), bodyHash: hash(letter.text) })

/** The tool. */
export const send = (client: Client): Proven.Proven => ({
  contract: Proven.contract("email", {
    class: "high_risk_external",
    input: {
      from: "string",
      to: "string",
      subject: "string",
      text: "string",
      subjectHash: "string",
      bodyHash: "string"
    },
    identity: ["to", "subject"],
    target: "'mailbox/' + args.to",
    options: {
      wants: {
        recipient: "args.to",
        sender: "args.from",
        subjectHash: "args.subjectHash",
        bodyHash: "args.bodyHash"
      },
      confirm: ["sender", "subject", "body", "delivered", "aligned"]
    }
  }),
  code: {
    execute: ({ from, subject, text, to }: Letter, { key }) =>
      client.submit("messages", { key, body: { from, to, subject, text } }),
    readback: async ({ key }, { to }: Letter) => {
      const messages = ((await client.get(`messages?key=${key}`)) ?? []) as ReadonlyArray<JsonObject>
      const [message] = messages
      if (message === undefined) return undefined
      const { suppressed } = (await client.get(`suppressions/${to}`)) as { readonly suppressed: boolean }
      return { ...message, count: messages.length, suppressed }
    }
  }
})

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
