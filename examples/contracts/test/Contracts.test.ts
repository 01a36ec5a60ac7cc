/** Each contract to copy, against a provider that speaks the protocol of the real one, in a process of its own. */

import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { AwsClient } from "aws4fetch"
import { githubForge } from "../../../packages/patterns/contracts/github-forge/tools.ts"
import { googleCalendar } from "../../../packages/patterns/contracts/google-calendar/tools.ts"
import { jiraTickets } from "../../../packages/patterns/contracts/jira-tickets/tools.ts"
import { postmarkMail } from "../../../packages/patterns/contracts/postmark-mail/tools.ts"
import { hashOf, s3Objects } from "../../../packages/patterns/contracts/s3-objects/tools.ts"
import { stripePayments } from "../../../packages/patterns/contracts/stripe-payments/tools.ts"
import * as S3 from "../world/S3.ts"
import * as lab from "./lab.ts"
import * as WorldProcess from "./WorldProcess.ts"

let world: WorldProcess.WorldProcess
beforeEach(async () => {
  world = await WorldProcess.start()
})
afterEach(() => world.stop())

const aws = new AwsClient({ ...S3.account, service: "s3" })

/** A contract: its tools, a call, how often the provider has done it, and how it is taken back. */
interface Story {
  readonly name: string
  readonly provider: string
  readonly kind: string
  readonly tools: (url: string) => unknown
  readonly tool: string
  readonly params: object
  /** The same act in other words, which the record answers. */
  readonly again: object
  /** Another act under the same identity, which is refused. */
  readonly changed?: object
  /** A call that the provider refuses for good. */
  readonly refused?: object
  /** Tells of a record whether it was taken back; absent if nothing undoes the call. */
  readonly isUndone?: (records: ReadonlyArray<WorldProcess.Recorded>) => boolean
}

const order = { order: "4711", amount: 1999, currency: "chf", customer: "cus_ada", payment_method: "pm_card_visa" }
const mail = { from: "desk@acme.example", to: "ada@example.com", subject: "Hello", text: "A text", topic: "welcome-1" }
const event = {
  calendar: "team@acme.example",
  title: "Stand-up",
  start: "2026-12-01T09:00:00Z",
  end: "2026-12-01T09:15:00Z",
  attendees: ["ada@example.com"]
}
const issue = { project: "OPS", type: "Task", summary: "Disk is full", text: "On host 7", report: "alert-17" }
const pull = { repo: "acme/site", head: "fix-typo", base: "main", title: "Fix a typo", text: "It is mended." }
const object = { bucket: "reports", path: "2026/q4 report.txt", text: "all is well", hash: hashOf("all is well") }

const stories: ReadonlyArray<Story> = [
  {
    name: "stripe-payments",
    provider: "stripe",
    kind: "stripe.payment_intents",
    tools: (url) => stripePayments({ secretKey: "sk_test_world", baseUrl: `${url}/stripe` }),
    tool: "create_payment",
    params: order,
    again: { ...order, order: "4711 " },
    changed: { ...order, amount: 2999 },
    refused: { ...order, payment_method: "pm_empty" },
    isUndone: (records) => records.some(({ kind, body }) => kind === "stripe.refunds" && body["amount"] === 1999)
  },
  {
    name: "postmark-mail",
    provider: "postmark",
    kind: "postmark.messages",
    tools: (url) => postmarkMail({ serverToken: "token", baseUrl: `${url}/postmark` }),
    tool: "send_mail",
    params: mail,
    again: { ...mail, to: "ada@EXAMPLE.com" },
    refused: { ...mail, to: "bob@inactive.example" }
  },
  {
    name: "google-calendar",
    provider: "google",
    kind: "google.events",
    tools: (url) => googleCalendar({ token: () => "token", baseUrl: `${url}/google` }),
    tool: "insert_event",
    params: event,
    again: { ...event, title: "stand-up" },
    isUndone: ([found]) => found?.body["status"] === "cancelled"
  },
  {
    name: "jira-tickets",
    provider: "jira",
    kind: "jira.issues",
    tools: (url) => jiraTickets({ site: `${url}/jira`, email: "ada@acme.example", apiToken: "token" }),
    tool: "create_issue",
    params: issue,
    again: { ...issue, report: "ALERT-17" },
    refused: { ...issue, summary: "" },
    isUndone: ([found]) => (found?.body["status"] as { readonly name?: string })?.name === "Done"
  },
  {
    name: "github-forge",
    provider: "github",
    kind: "github.pulls",
    tools: (url) => githubForge({ token: "token", baseUrl: `${url}/github` }),
    tool: "open_pull",
    params: pull,
    again: { ...pull, repo: "Acme/Site" },
    isUndone: ([found]) => found?.body["state"] === "closed"
  },
  {
    name: "s3-objects",
    provider: "s3",
    kind: "s3.objects",
    tools: (url) => s3Objects({ endpoint: `${url}/s3`, fetch: (...request) => aws.fetch(...request) }),
    tool: "put_object",
    params: object,
    again: { ...object, hash: object.hash.toUpperCase() },
    refused: { ...object, bucket: "missing" },
    isUndone: ([found]) => found !== undefined && Object.keys(found.body).length === 0
  }
]

const toolsOf = (story: Story): ToolExecutor.Tools => story.tools(world.url) as ToolExecutor.Tools
const count = async ({ kind }: Story) => (await world.records(kind)).length

describe.each(stories)("$name", (story) => {
  it("is done once, verified, and answered from the record after that", async () => {
    await lab.work(
      story.name,
      toolsOf(story),
      async ({ call, divergences }) => {
        const done = await call(story.tool, story.params)
        assert.deepInclude(done, { _tag: "Done", basis: "readback" }, JSON.stringify(done))
        const repeated = await call(story.tool, story.params)
        assert.deepInclude(repeated, { _tag: "Done", basis: "recorded" }, JSON.stringify(repeated))
        assert.strictEqual(await divergences(), 0)
      },
      // A later run of the same goal finds the act on record.
      async ({ call }) => assert.strictEqual((await call(story.tool, story.params))._tag, "Done")
    )
    assert.strictEqual(await count(story), 1)
  })

  it("is done once although its answer is lost after it took effect", async () => {
    await world.fault(story.provider, { lost: 1 })
    await lab.work(story.name, toolsOf(story), async ({ call }) => {
      const done = await call(story.tool, story.params)
      assert.deepInclude(done, { _tag: "Done", basis: "readback" }, JSON.stringify(done))
    })
    assert.strictEqual(await count(story), 1)
  })

  it("is done once although the provider was down when it was sent", async () => {
    await world.fault(story.provider, { down: 1 })
    await lab.work(story.name, toolsOf(story), async ({ call }) => {
      const done = await call(story.tool, story.params)
      assert.deepInclude(done, { _tag: "Done", basis: "readback" }, JSON.stringify(done))
    })
    assert.strictEqual(await count(story), 1)
  })

  it("is answered from the record in other words", async () => {
    await lab.work(story.name, toolsOf(story), async ({ call }) => {
      await call(story.tool, story.params)
      assert.deepInclude(await call(story.tool, story.again), { _tag: "Done", basis: "recorded" })
    })
    assert.strictEqual(await count(story), 1)
  })

  const { changed, isUndone, refused } = story

  if (changed !== undefined) {
    it("refuses another request for the same act", async () => {
      await lab.work(story.name, toolsOf(story), async ({ call }) => {
        await call(story.tool, story.params)
        assert.strictEqual((await call(story.tool, changed))._tag, "Refused")
      })
      assert.strictEqual(await count(story), 1)
    })
  }

  if (refused !== undefined) {
    it("has failed where the provider refuses it", async () => {
      await lab.work(story.name, toolsOf(story), async ({ call }) => {
        const failed = await call(story.tool, refused)
        assert.strictEqual(failed._tag, "Failed", JSON.stringify(failed))
      })
    })
  }

  if (isUndone !== undefined) {
    it("is taken back, which the record shows", async () => {
      await lab.work(story.name, toolsOf(story), async ({ call, divergences, latest, undo }) => {
        assert.strictEqual((await call(story.tool, story.params))._tag, "Done")
        const undone = await undo(await latest())
        assert.strictEqual(undone._tag, "Done", JSON.stringify(undone))
        assert.strictEqual(await divergences(), 0)
      })
      assert.isTrue(isUndone(await world.records(`${story.provider}.`)))
    })
  }
})

const storyOf = (name: string): Story => stories.find((story) => story.name === name)!

describe("stripe-payments", () => {
  it("refunds no more than was paid", async () => {
    const story = storyOf("stripe-payments")
    await lab.work(story.name, toolsOf(story), async ({ call }) => {
      const paid = await call("create_payment", order)
      const payment = paid._tag === "Done" ? (paid.output as { readonly id: string }).id : ""
      const part = { payment, refund: "r-1", amount: 1500 }
      assert.strictEqual((await call("refund_payment", part))._tag, "Done")
      const more = await call("refund_payment", { ...part, refund: "r-2" })
      assert.include(JSON.stringify(more), "no_more_than_paid")
    })
    assert.lengthOf(await world.records("stripe.refunds"), 1)
  })

  it("is settled by a signed delivery where neither the answer nor the list is to be had", async () => {
    const story = storyOf("stripe-payments")
    await lab.work(story.name, toolsOf(story), async ({ call, deliver }) => {
      await world.fault("stripe", { lost: 1, hidden: 1_000_000 })
      assert.notStrictEqual((await call("create_payment", order))._tag, "Done")
      await world.fault("stripe", {})
      const answer = await fetch(`${world.url}/stripe/_deliveries`, { method: "POST", body: "whsec_1" })
      const { body, headers } = (await answer.json()) as { readonly body: string; readonly headers: object }
      const arrived = { tool: "create_payment", body: Buffer.from(body), headers: new Map(Object.entries(headers)) }
      const forged = await deliver(arrived, { STRIPE_WEBHOOK_SECRET: "whsec_2" })
      assert.strictEqual(forged._tag, "Refused")
      const taken = await deliver(arrived, { STRIPE_WEBHOOK_SECRET: "whsec_1" })
      assert.strictEqual(taken._tag, "Done", JSON.stringify(taken))
    })
    assert.strictEqual(await count(story), 1)
  })
})

describe("postmark-mail", () => {
  it("is held where the mail bounces, and never reported as sent", async () => {
    const story = storyOf("postmark-mail")
    await lab.work(story.name, toolsOf(story), async ({ call }) => {
      const held = await call("send_mail", { ...mail, to: "ada@bounces.example" })
      assert.strictEqual(held._tag, "Held", JSON.stringify(held))
    })
  })
})

describe("github-forge", () => {
  it("merges the commit that a person approved, and no other", async () => {
    const story = storyOf("github-forge")
    await lab.work(story.name, toolsOf(story), async ({ approve, call }) => {
      await call("open_pull", pull)
      const reviewed = { repo: pull.repo, pull: 1, commit: "sha-fix-typo" }
      assert.strictEqual((await call("merge_pull", reviewed))._tag, "Parked")
      const merged = await approve("maintainer", "merge_pull", reviewed)
      assert.strictEqual(merged._tag, "Done", JSON.stringify(merged))
      await call("open_pull", { ...pull, head: "moved" })
      const late = await approve("maintainer", "merge_pull", { repo: pull.repo, pull: 2, commit: "sha-moved" })
      assert.strictEqual(late._tag, "Failed", JSON.stringify(late))
    })
    const records = await world.records("github.pulls")
    assert.deepStrictEqual(
      records.map(({ body }) => body["merged_at"] !== null),
      [true, false]
    )
  })
})
