/**
 * The airline's database as the pack declares it, and the shape of the functions that the pack names.
 *
 * A model is a small copy of a tool: from the world and the arguments of a call it predicts the answer and the world
 * after the call. A predicate reads one row that a transition has changed. Both are pure and have no free
 * identifiers: they are part of the pack as source text, without types.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** Cabins by name. */
export type Cabin = "basic_economy" | "economy" | "business"

/** A flight on one day. It has seats and prices while it can be booked. */
export type FlightDay = {
  readonly status: string
  readonly available_seats?: { readonly [C in Cabin]: number }
  readonly prices?: { readonly [C in Cabin]: number }
}

/** A flight, by number. */
export type Flight = {
  readonly flight_number: string
  readonly origin: string
  readonly destination: string
  readonly scheduled_departure_time_est: string
  readonly scheduled_arrival_time_est: string
  readonly dates: { readonly [date: string]: FlightDay }
}

/** A flight as requested. */
export type Leg = { readonly flight_number: string; readonly date: string }

/** A flight as booked. */
export type Segment = Leg & { readonly price: number; readonly origin: string; readonly destination: string }

/** A traveller. */
export type Passenger = { readonly first_name: string; readonly last_name: string; readonly dob: string }

/** An amount by one of the user's payment methods; negative for a refund. */
export type Payment = { readonly payment_id: string; readonly amount: number }

/** A reservation, by id. `status` appears when it is cancelled. */
export type Reservation = {
  readonly reservation_id: string
  readonly user_id: string
  readonly origin: string
  readonly destination: string
  readonly flight_type: string
  readonly cabin: Cabin
  readonly flights: ReadonlyArray<Segment>
  readonly passengers: ReadonlyArray<Passenger>
  readonly payment_history: ReadonlyArray<Payment>
  readonly created_at: string
  readonly total_baggages: number
  readonly nonfree_baggages: number
  readonly insurance: string
  readonly status?: string
}

/** A way to pay. Gift cards and certificates have an amount. */
export type PaymentMethod = { readonly source: string; readonly id: string; readonly amount?: number }

/** A customer, by id. */
export type User = {
  readonly payment_methods: { readonly [id: string]: PaymentMethod }
  readonly membership: "regular" | "silver" | "gold"
  readonly reservations: ReadonlyArray<string>
}

/**
 * The world: three tables of the airline's database, and `cabins`, the cabin that was last requested for each
 * reservation, which the database does not keep.
 */
export type World = {
  readonly flights: Table<Flight>
  readonly reservations: Table<Reservation>
  readonly users: Table<User>
  readonly cabins: Table<{ readonly cabin: Cabin }>
}

/** A call as a model sees it. */
export type Call<Args> = { readonly world: World; readonly args: Args }

/**
 * The prediction of a model: the answer (text as it is, any other value as the tool prints it) and the fields that
 * change.
 */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }

/** The input of a predicate: a changed row, the world after the transition, and the row before it. */
export type Change<Row> = {
  readonly world: World
  /** Before the first change of a run it has no tables: rows with which the run began are not new. */
  readonly before: { readonly world: Partial<World> }
  readonly key: string
  readonly row: Row
}
