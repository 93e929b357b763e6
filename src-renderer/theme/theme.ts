import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { separators } from '../ui/format.ts'
import { tokens } from './tokens.ts'

const cobalt: MantineColorsTuple = [
  '#EDF2FF',
  '#DCE5FE',
  '#BCCDFB',
  '#8FAEFF',
  '#7094F7',
  '#4069E6',
  '#3560E0',
  '#2B51C6',
  '#2440A0',
  '#1B2F75',
]
const gray: MantineColorsTuple = [
  '#F8F9FA',
  '#F4F5F7',
  '#EFF0F3',
  '#E6E8EC',
  '#D3D6DE',
  '#9BA0AA',
  '#636975',
  '#4A505C',
  '#343944',
  '#1A1E27',
]
const dark: MantineColorsTuple = [
  '#E9EAED',
  '#B4B7BE',
  '#8E929B',
  '#666A72',
  '#3A3E46',
  '#25282E',
  '#1C1F24',
  '#15171B',
  '#101216',
  '#0E1013',
]
/** For deleting; its filled shades have white text. */
const red: MantineColorsTuple = [
  '#FDEEEC',
  '#FADFDC',
  '#F7C4BF',
  '#F79A91',
  '#E8695F',
  '#C9413A',
  '#C23A33',
  '#AE2E29',
  '#8C2420',
  '#5E1916',
]

const height = { xs: '24px', sm: '28px', md: '32px', lg: '36px' } as const
const inRows = (size: unknown) =>
  height[(size as keyof typeof height) in height ? (size as keyof typeof height) : 'sm']

export const theme = createTheme({
  primaryColor: 'cobalt',
  primaryShade: { light: 6, dark: 5 },
  colors: { cobalt, gray, dark, red },
  black: '#1A1E27',
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, monospace',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '15px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '20px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  shadows: {
    xs: '0 1px 1px var(--cc-sh-1)',
    md: '0 6px 20px -4px var(--cc-sh-2), 0 0 0 1px var(--cc-edge)',
    xl: '0 20px 56px -8px var(--cc-sh-3), 0 0 0 1px var(--cc-edge)',
  },
  components: {
    Button: {
      defaultProps: { size: 'sm', variant: 'default' },
      vars: (_t: unknown, p: { size?: unknown }) => ({
        root: {
          '--button-height': inRows(p.size),
          '--button-padding-x': p.size === 'xs' ? '8px' : p.size === 'md' ? '12px' : '10px',
          '--button-fz': p.size === 'xs' ? '12px' : '13px',
        },
      }),
      styles: { root: { fontWeight: 500 } },
    },
    ActionIcon: {
      defaultProps: { size: 'sm', variant: 'subtle', color: 'gray' },
      vars: (_t: unknown, p: { size?: unknown }) => ({ root: { '--ai-size': inRows(p.size) } }),
    },
    Input: {
      defaultProps: { size: 'md' },
      vars: (_t: unknown, p: { size?: unknown }) => ({
        wrapper: {
          '--input-height': inRows(p.size ?? 'md'),
          '--input-fz': '13px',
          '--input-bg': 'var(--cc-field)',
        },
      }),
    },
    InputWrapper: {
      defaultProps: { size: 'md', inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      styles: {
        label: {
          fontSize: '12px',
          lineHeight: '18px',
          fontWeight: 500,
          color: 'var(--cc-text-2)',
          marginBottom: 4,
        },
        description: { fontSize: '12px', lineHeight: '18px' },
        error: { fontSize: '12px', lineHeight: '18px', color: 'var(--cc-bad)' },
      },
    },
    Switch: {
      defaultProps: { size: 'xs', withThumbIndicator: false },
      vars: () => ({
        root: { '--switch-width': '28px', '--switch-height': '16px', '--switch-thumb-size': '12px' },
      }),
    },
    ColorPicker: {
      defaultProps: { saturationLabel: 'Saturation and brightness', hueLabel: 'Hue', alphaLabel: 'Opacity' },
    },
    Checkbox: { vars: () => ({ root: { '--checkbox-size': '16px', '--checkbox-radius': '4px' } }) },
    SegmentedControl: {
      defaultProps: { size: 'sm', radius: 'md', withItemsBorders: false },
      vars: () => ({
        root: {
          '--sc-padding': '2px 9px',
          '--sc-color': 'var(--cc-seg)',
          '--sc-shadow': '0 1px 2px var(--cc-sh-2)',
          '--sc-font-size': '12px',
          '--sc-transition-duration': '0ms',
        },
      }),
      styles: { root: { padding: 2, background: 'var(--cc-mute-soft)' }, label: { lineHeight: '20px' } },
    },
    Kbd: {
      styles: {
        root: {
          fontFamily: '"Inter Variable", system-ui, sans-serif',
          fontSize: '11px',
          lineHeight: '16px',
          fontWeight: 500,
          minWidth: 18,
          padding: '0 4px',
          borderWidth: 1,
          borderColor: 'var(--cc-line)',
          background: 'var(--cc-sunken)',
          color: 'var(--cc-text-3)',
        },
      },
    },
    // A menu may not contain the placeholder element.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Always both: the thousands separator of many languages is the decimal separator of others.
    NumberInput: {
      defaultProps: { thousandSeparator: separators.thousands, decimalSeparator: separators.decimals },
    },
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { 'aria-label': 'Show password' },
      },
    },
    Tooltip: { defaultProps: { openDelay: 400 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'xl',
        shadow: 'xl',
        transitionProps: { duration: 140 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
  },
})

/** Mantine's colours, by token. */
const mantineColors = {
  body: 'canvas',
  text: 'text',
  dimmed: 'text-3',
  placeholder: 'text-3',
  default: 'raised',
  'default-hover': 'hover',
  'default-border': 'line-strong',
  anchor: 'accent-text',
  error: 'bad',
} as const satisfies Readonly<Record<string, keyof typeof tokens>>

/** Returns the custom properties of one colour scheme: 0 light, 1 dark. */
function properties(scheme: 0 | 1): Record<string, string> {
  const own = Object.entries(tokens).map(([name, pair]) => [`--cc-${name}`, pair[scheme]])
  const ofMantine = Object.entries(mantineColors).map(([name, token]) => [
    `--mantine-color-${name}`,
    tokens[token][scheme],
  ])
  return Object.fromEntries([...own, ...ofMantine])
}

export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: properties(0),
  dark: properties(1),
})
