/** Each failure of a pattern has a test against something real. */
import * as Fs from "node:fs"
import * as Pattern from "@backstitch/patterns/Pattern"
import { assert, describe, it } from "@effect/vitest"
import Pg from "pg"
import * as Browser from "../tools/Browser.ts"
import * as Calendar from "../tools/Calendar.ts"
import * as Client from "../tools/Client.ts"
import * as Database from "../tools/Database.ts"
import * as Deployments from "../tools/Deployments.ts"
import * as Email from "../tools/Email.ts"
import * as Filesystem from "../tools/Filesystem.ts"
import * as Iam from "../tools/Iam.ts"
import * as Payments from "../tools/Payments.ts"
import * as Procurement from "../tools/Procurement.ts"
import type { Proven } from "../tools/Proven.ts"
import * as Queue from "../tools/Queue.ts"
import * as Search from "../tools/Search.ts"
import * as Tickets from "../tools/Tickets.ts"
import * as Web from "../tools/Web.ts"

const client = Client.make("http://127.0.0.1:1", "none", "nobody")
const table: Database.Table = { write: async () => 0, read: async () => undefined }

/** The test of each pattern, and the contracts that it runs. */
const proven: {
  readonly [Name in Pattern.PatternName]: readonly [string, ...ReadonlyArray<Proven>]
} = {
  database: ["Database", Database.assign(table)],
  filesystem: ["Filesystem", Filesystem.write("/box")],
  email: ["Email", Email.send(client)],
  calendar: ["Calendar", Calendar.schedule(client)],
  payments: ["Payments", Payments.charge(client), Payments.refund(client)],
  ticketing: ["Tickets", Tickets.update(client, "nobody")],
  deployment: ["Deployments", Deployments.deploy(client)],
  procurement: ["Procurement", Procurement.order(client)],
  browser: ["Web", Web.move(Browser.plain(), "http://127.0.0.1:1", client)],
  security: ["Iam", Iam.grant(client)],
  queue: ["Queue", Queue.publish(new Pg.Pool())],
  vector_index: ["Search", Search.index(client)]
}

/** The failures and parameters that contracts look at. */
const named = (contracts: ReadonlyArray<Proven>): ReadonlyArray<unknown> =>
  contracts.flatMap(({ contract }) =>
    [contract.readback?.expect ?? []].flat().map((each) => (typeof each === "object" && "id" in each ? each.id : each))
  )

describe("the tests of the patterns", () => {
  for (const [name, { indicators, parameters }] of Object.entries<Pattern.Pattern>(Pattern.patterns)) {
    const [file, ...contracts] = proven[name as Pattern.PatternName]

    it(`provoke every failure that is known of ${name}`, () => {
      const source = Fs.readFileSync(new URL(`./${file}.test.ts`, import.meta.url), "utf8")
      for (const id of Object.keys(indicators)) {
        assert.include(source, `: ${id}"`, "a test is called by the failure")
        assert.include(source, `"${id}", "`, "and looks for it")
      }
      assert.include(source, "isReconciled")
    })

    it(`read back everything that ${name} can confirm`, () => {
      assert.includeMembers([...named(contracts)], [...Object.keys(indicators), ...Object.keys(parameters)])
    })
  }
})
