import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import { copyCommandsAlone } from '../../theme/copy.ts';
import HomePage from '../../theme/HomePage.vue';
import PlaygroundPage from '../../theme/PlaygroundPage.vue';
// oxlint-disable-next-line import/no-unassigned-import -- styles
import '../../theme/style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    if (!import.meta.env.SSR) copyCommandsAlone();
    app.component('HomePage', HomePage);
    app.component('PlaygroundPage', PlaygroundPage);
  },
} satisfies Theme;
