/** An airline of four flights, two customers and three reservations, made up for the tests. */
import type { Json } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import * as Effect from "effect/Effect"
import * as Pack from "../Pack.ts"
import type { Answer, Cabin, Flight, FlightDay, Reservation, User, World } from "../World.ts"

const prices = { basic_economy: 10, economy: 20, business: 90 }
const open: FlightDay = { status: "available", available_seats: { basic_economy: 9, economy: 2, business: 1 }, prices }

const flight = (
  flight_number: string,
  route: readonly [string, string],
  times: readonly [string, string],
  dates: Flight["dates"]
): readonly [string, Flight] => [
  flight_number,
  {
    flight_number,
    origin: route[0],
    destination: route[1],
    scheduled_departure_time_est: times[0],
    scheduled_arrival_time_est: times[1],
    dates
  }
]

const may = (day: number): string => `2024-05-${day}`

export const reservation = (id: string, more: Partial<Reservation> = {}): Reservation => ({
  reservation_id: id,
  user_id: "ann",
  origin: "AAA",
  destination: "BBB",
  flight_type: "one_way",
  cabin: "economy",
  flights: [{ origin: "AAA", destination: "BBB", flight_number: "F1", date: may(20), price: 15 }],
  passengers: [{ first_name: "Ann", last_name: "One", dob: "1990-01-01" }],
  payment_history: [{ payment_id: "card", amount: 15 }],
  created_at: "2024-05-01T00:00:00",
  total_baggages: 0,
  nonfree_baggages: 0,
  insurance: "no",
  ...more
})

const users: ReadonlyArray<readonly [string, User]> = [
  [
    "ann",
    {
      payment_methods: {
        card: { source: "credit_card", id: "card" },
        gift: { source: "gift_card", amount: 50, id: "gift" },
        voucher: { source: "certificate", amount: 30, id: "voucher" }
      },
      membership: "regular",
      reservations: ["OLD", "FLOWN"]
    }
  ],
  ["gil", { payment_methods: {}, membership: "gold", reservations: ["LATE"] }]
]

export const world: World = {
  flights: Table.from([
    flight("F1", ["AAA", "BBB"], ["08:00:00", "10:00:00"], {
      [may(19)]: { status: "landed" },
      [may(20)]: open,
      [may(21)]: open
    }),
    flight("F2", ["BBB", "CCC"], ["11:00:00", "12:00:00"], { [may(20)]: open, [may(21)]: { status: "cancelled" } }),
    flight("F3", ["AAA", "BBB"], ["22:00:00", "01:00:00+1"], { [may(20)]: open, [may(21)]: { status: "delayed" } }),
    flight("F4", ["BBB", "CCC"], ["09:00:00", "09:30:00"], { [may(20)]: open, [may(21)]: open })
  ]),
  reservations: Table.from([
    ["OLD", reservation("OLD")],
    [
      "FLOWN",
      reservation("FLOWN", {
        insurance: "yes",
        payment_history: [{ payment_id: "card", amount: 45 }],
        flights: [{ ...reservation("").flights[0]!, date: may(19) }]
      })
    ],
    [
      "LATE",
      reservation("LATE", {
        user_id: "gil",
        flights: [{ ...reservation("").flights[0]!, flight_number: "F3", date: may(21) }]
      })
    ]
  ]),
  users: Table.from(users),
  cabins: Table.from<{ readonly cabin: Cabin }>([])
}

/** The models of the pack. Each answers the tool's answer and the world after the call. */
export const models = Effect.map(Pack.load, (pack) => (tool: string, args: object, before: World = world) => {
  const { output, world: changed } = pack.tools[tool]!.model!.run({ args, world: before }) as Answer
  return { output: output as Json, world: { ...before, ...changed } satisfies World }
})

/** Names a database: worlds with the same tables have the same name. `cabins` is ours, and left out. */
export const nameOf = ({ flights, reservations, users }: World): string =>
  `${flights.digest()} ${reservations.digest()} ${users.digest()}`
