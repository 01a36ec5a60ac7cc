/** The shop's database as the pack declares it, and the shape of the functions that the pack names. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** An address to which orders are sent. */
export type Address = {
  readonly address1: string
  readonly address2: string
  readonly city: string
  readonly state: string
  readonly country: string
  readonly zip: string
}

/** One item of an order, with the options and the price at the time of the order. */
export type Item = {
  readonly name: string
  readonly product_id: string
  readonly item_id: string
  readonly price: number
  readonly options: Json
}

/** Money that moved for an order. */
export type Payment = {
  readonly transaction_type: "payment" | "refund"
  readonly amount: number
  readonly payment_method_id: string
}

/** An order, by id. The optional fields are set by tools. */
export type Order = {
  readonly order_id: string
  readonly user_id: string
  readonly address: Address
  readonly items: ReadonlyArray<Item>
  readonly fulfillments: ReadonlyArray<Json>
  readonly status: string
  readonly payment_history: ReadonlyArray<Payment>
  readonly cancel_reason?: string
  readonly return_items?: ReadonlyArray<string>
  readonly return_payment_method_id?: string
  readonly exchange_items?: ReadonlyArray<string>
  readonly exchange_new_items?: ReadonlyArray<string>
  readonly exchange_payment_method_id?: string
  readonly exchange_price_difference?: number
}

/** A variant of a product, as it can be ordered. */
export type Variant = {
  readonly item_id: string
  readonly options: Json
  readonly available: boolean
  readonly price: number
}

/** A product, by id. */
export type Product = {
  readonly name: string
  readonly product_id: string
  readonly variants: { readonly [item: string]: Variant }
}

/** A way to pay. Gift cards have a balance. */
export type PaymentMethod = { readonly source: string; readonly id: string; readonly balance?: number }

/** A customer, by id. */
export type User = {
  readonly name: { readonly first_name: string; readonly last_name: string }
  readonly address: Address
  readonly email: string
  readonly payment_methods: { readonly [id: string]: PaymentMethod }
  readonly orders: ReadonlyArray<string>
}

/** The tables of the shop. */
export type World = {
  readonly orders: Table<Order>
  readonly products: Table<Product>
  readonly users: Table<User>
}

/** A call as a model sees it. */
export type Call<Args> = { readonly world: World; readonly args: Args }

/**
 * The prediction of a model: the answer (text as it is, any other value as the tool prints it) and the fields that
 * change.
 */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }

/** The input of a predicate: a changed row. */
export type Change<Row> = { readonly row: Row }
