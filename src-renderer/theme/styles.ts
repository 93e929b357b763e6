// The order matters: our sheets override Mantine's.
import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme.css'
import './base.css'
