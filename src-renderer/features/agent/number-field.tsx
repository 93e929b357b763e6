import { NumberInput, type NumberInputProps } from '@mantine/core'

type NumberFieldProps = Omit<NumberInputProps, 'value' | 'onChange'> & {
  readonly value: number
  onChange(value: number): void
}

/** A field for a whole number. While it is empty, its value is NaN, which the schemas refuse. */
export const NumberField = ({ value, onChange, ...props }: NumberFieldProps) => (
  <NumberInput
    allowDecimal={false}
    {...props}
    value={Number.isNaN(value) ? '' : value}
    onChange={typed => onChange(typeof typed === 'number' ? typed : Number.NaN)}
  />
)
