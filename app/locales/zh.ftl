# 简体中文。称呼用“你”；中文与西文、数字之间空一格，标点用全角。

language-name = 简体中文
language-direction = ltr
number-group = ,
number-decimal = .

## Words of several places

brand = gemtab
reload = 重新加载
new-build = gemtab 有新版本。

## The document, before the page lives

shell-description = 在浏览器标签页中，用你自己的显卡与 Gemma 4 聊天。
boot-slow = 仍在加载，可以先开始输入。
boot-failed = 页面无法启动。请检查网络连接，然后重新加载。
boot-no-script = gemtab 需要 JavaScript。请启用后重新加载。
later-loading = 正在加载…
later-missing = 页面的这一部分无法加载。请检查网络连接，然后重试。内容不会丢失。

## Units and amounts

unit-b = { $number } B
unit-kb = { $number } kB
unit-mb = { $number } MB
unit-gb = { $number } GB
unit-tb = { $number } TB
unit-s = { $number } 秒
unit-min = { $number } 分钟
unit-percent = { $number }%
unit-rate = { $number } token/s
time-min-s = { $minutes } 分 { $seconds } 秒
time-h-min = { $hours } 小时 { $minutes } 分钟
amount-of = { $part } / { $whole }
two-sentences = { $first }{ $second }
two-items = { $first }、{ $second }

## Settings

settings-title = 设置
settings-licenses = 第三方许可
settings-appearance = 外观与键盘
settings-theme = 主题
settings-theme-system = 跟随系统
settings-theme-light = 浅色
settings-theme-dark = 深色
settings-language = 语言
settings-language-browser = 跟随浏览器
settings-sending = 发送按键
settings-send-enter = Enter（Shift+Enter 换行）
settings-send-modified = Ctrl+Enter 或 ⌘ Enter（Enter 换行）
settings-single-keys = 单键快捷键
settings-single-keys-hint = 按 / 跳到消息输入框，按 ? 查看所有快捷键。如果使用语音输入，请关闭此项。
settings-show-steps = 显示扩散步骤
settings-show-steps-hint = 扩散模型回答时，可以看到文本逐步成形。关闭后只显示最终文本。
settings-drafts = 推测解码
settings-drafts-hint = 让大多数回答更快。引擎借助草稿模型或重复出现的文本，提前猜测多个 token，再一次性验证。如果没有变快，就会停止猜测。
settings-drafts-automatic = 有草稿模型时
settings-drafts-always = 始终
settings-drafts-never = 从不
settings-memory = 显存
settings-memory-hint = 下次加载模型时生效。
settings-memory-amount = 模型可使用的内存
settings-memory-amount-hint = 浏览器不会告知有多少显存。如果模型需要更多，gemtab 会自动开启下面的选项。
settings-memory-automatic = 自动
settings-memory-automatic-of = 自动（{ $size }）
settings-memory-loaded = { $model } 仍按之前的设置加载。
settings-cache-in-eight-bits = 8 位 KV 缓存
settings-cache-in-eight-bits-hint = 对话占用的显存约减半，回答可能略有不同。
settings-table-in-eight-bits = 8 位逐层嵌入
settings-table-in-eight-bits-hint = 适用于采用 16 位嵌入的 E2B 和 E4B 文件。嵌入占用的显存减半，回答几乎不变。
settings-new = 新对话
settings-new-hint = 每个对话都可以单独更改这些设置。
settings-instructions = 自定义指令
settings-none = 无
settings-think = 先思考再回答
settings-context = 上下文长度
settings-context-hint = 以 token 为单位。上下文越长，需要的显存越多。
settings-context-default = 默认
settings-sampling-model = 采样参数使用各模型的默认值。
settings-sampling-set = 为所有模型自定义
settings-sampling = 所有模型的采样参数
settings-sampling-reset = 恢复各模型的默认值
settings-voice = 语音
settings-read-aloud = 朗读回答
settings-read-aloud-hint = 每写完一句就读一句，跳过思考过程、代码、表格和公式。
settings-voice-choice = 声音
settings-voice-automatic = 文本语言的默认声音
settings-voice-remote = { $count ->
    *[other] 有 { $count } 个声音会将文本传出此设备，因此未列出。
    }
settings-voice-none = 此设备没有本地声音。
settings-rate = 语速
settings-storage = 保存在此浏览器中
settings-keep = 保存模型
settings-keep-hint = 在此浏览器中保留每个模型的副本，无需再次从服务器下载。
settings-caches = 保存模型已读取的内容
settings-caches-hint = 在此浏览器中保留最近四个对话的 KV 缓存。重新打开对话时，模型无需再次读取。临时对话永远不会保存。
settings-caches-kept = { $count ->
    *[other] { $count } 个对话的 KV 缓存：{ $size }
    }
settings-caches-none = 尚未保存 KV 缓存。
settings-caches-delete = 删除 KV 缓存
settings-conversations = { $count ->
    *[other] 此浏览器中有 { $count } 个对话。
    }

## Words of several places, continued

close = 关闭
save = 保存
cancel = 取消
delete = 删除
undo = 撤销
not-now = 暂不
try-again = 重试
untitled = 无标题
choose-model = 选择模型
other-model = 选择其他模型
use-memory = 使用 { $size } 系统内存
media-gone = 已不在此浏览器中
save-raw = 保存原始数据
export-file = gemtab-conversations.json

## Places

place-new = 新对话
place-conversation = 对话
place-models = 模型
place-tune = 微调
place-settings = 设置
place-diagnostics = 诊断
place-unknown = 找不到页面
age-today = 今天
age-yesterday = 昨天
age-week = 过去 7 天
age-earlier = 更早
not-found = 此地址没有内容。
page-title = { $page } · gemtab

## The frame around every page

frame-drop-examples = 将示例连同其图片和音频拖放到这里
frame-drop = 将文件或模型拖放到这里
frame-skip = 跳到主要内容
frame-test-mode = 测试模式
frame-simulated = 模拟引擎
frame-drop-elsewhere = 文件只能添加到对话中。请打开一个对话，再拖放到那里。
model-replaced = 另一个标签页已加载 { $name }。
model-ready = { $name } 已就绪。
model-not-loaded = 无法加载 { $name }。{ $reason }
search-found = { $count ->
    [0] 未找到对话。
    *[other] 找到 { $count } 个对话。
    }

## The graphics device, and how to get it

advice-origin = 浏览器只允许在安全地址上使用 WebGPU，{ $origin } 不是安全地址。
advice-local = 在运行服务器的电脑上打开 `{ $address }`。
advice-https = 如需在其他电脑上使用，请通过 HTTPS 提供页面，或用 SSH 转发端口。
advice-in = 在 { $browser } 中：
advice-title = 开启图形加速
device-none = 没有显卡
device-no-webgpu = WebGPU 不可用，无法在此运行模型。
device-nothing-lost = 你仍可以查看已有的对话。
device-slow = 未使用显卡
device-software = 未使用显卡。
device-software-named = 未使用显卡（{ $name }）。
device-software-hint = 演示模型运行缓慢，更大的模型会慢到无法使用。
device-how = 如何使用显卡
too-slow = { $name } 的大小为 { $size }。没有显卡时，回答中的每个字都可能要等几分钟。
too-slow-title = 未使用显卡
unlikely-title = 显存可能放不下此模型
unlikely = { $name } 所需的显存似乎比这块显卡的多出约 { $missing }，加载可能会失败。
too-slow-load = 仍然加载
failure-title = 出错了
use-context = 使用 { NUMBER($tokens) } 个 token 的上下文
reload-page = 重新加载页面
webgpu-how = 如何开启
see-saved = 查看已保存的模型
field-range = 必须在 { $min } 到 { $max } 之间。
sampling-temperature = 温度
sampling-temperature-hint = 设为 0 时始终选择概率最高的 token。
sampling-top-k = Top-k
sampling-top-k-hint = 只考虑概率最高的若干个 token；0 表示全部。
sampling-top-p = Top-p
sampling-min-p = Min-p
sampling-repeat = 重复惩罚
sampling-repeat-hint = 设为 1 即关闭。
sampling-presence = 存在惩罚
sampling-frequency = 频率惩罚
sampling-seed = 种子
sampling-seed-hint = 种子相同，回答也相同。
sampling-seed-random = 随机
load-starting = 正在启动
load-engine = 正在启动引擎…
load-title = 正在加载模型
load-of = 正在加载 { $name }
memory-words = 显存放不下 { $name }，还需要占用 { $size } 系统内存，直到你关闭标签页或加载其他模型。回答会变慢。
memory-title = 此模型需要更多内存
model-needs-webgpu = 需要 WebGPU
model-out-of-reach = 未保存在此浏览器中
model-demo = 演示
model-file = 文件
model-diffusion = 扩散
model-diffusion-about = 一次写出整块文本，再逐步完善。
model-continues = 续写文本
model-continues-about = 未经对话训练，只会接着你写的文本往下写。
model-demo-about = 内置演示：一个很小的模型，用简单的算术、列表和常识来体验此页面。
model-loaded = 已加载
model-load = 加载
model-recommended = 推荐
models-looking = 正在查找模型…
models-offline = 无法连接服务器。保存在此浏览器中的模型仍可使用。
models-none = 服务器未找到模型。已查找以下位置：
models-pull = 用 { $command } 下载一个模型，或打开你自己的 .gguf 文件。
models-get = 在“模型”页面的“获取模型”下载一个，或打开你自己的 .gguf 文件。
palette-title = 搜索与命令
palette-placeholder = 搜索对话、模型、页面和命令…
palette-results = 结果
palette-none = 无匹配结果
palette-action = 命令
palette-drawer = 对话设置
drawer-changed = 对话设置（已更改）
palette-stop = 停止回答
palette-think = 先思考再回答
palette-think-off = 不思考直接回答
palette-export-json = 将此对话导出为 JSON
palette-export-markdown = 将此对话导出为 Markdown
palette-export-html = 将此对话导出为 HTML
palette-print = 打印此对话或存为 PDF
palette-duplicate = 为此对话创建副本
shortcuts-title = 键盘快捷键
palette-import = 导入对话
palette-light = 使用浅色主题
palette-dark = 使用深色主题
palette-system = 主题跟随系统
palette-place = 页面
palette-model = 模型
open-file = 打开文件…
model-files = 模型文件
picked-title = 最近打开
picked-files = { $count ->
    *[other] { $count } 个文件 · { $size }
    }
picked-open = 打开
picked-open-of = 打开 { $name }
picked-open-anyway = 仍然打开
picked-open-anyway-of = 仍然打开：{ $name }
picked-forget = 从列表中移除
picked-forget-of = 从列表中移除：{ $name }
picked-forgotten = 已从列表中移除 { $name }，文件仍保留在原处。
picked-not-allowed = 浏览器需要你的许可才能读取 { $name }。请重新打开，并在询问时允许。
picked-gone = 找不到 { $name }。它可能已被移动、重命名或删除。请用“打开文件…”重新选择。
picked-changed = { $name } 自上次打开后已更改。
picked-unreadable = 浏览器无法读取 { $name }。请用“打开文件…”选择它。
picture-show = 查看 { $name }

## The rail of conversations

rail-title = 对话与页面
rail-new = 新建
rail-fold = 隐藏侧边栏
rail-width = 侧边栏宽度
rail-steps = { NUMBER($step) }/{ NUMBER($steps) }
rail-conversations = 对话
rail-places = 页面
rail-private = 你写的内容不会离开此浏览器。
rail-private-but-tools = 除你允许工具发送的内容外，你写的内容不会离开此浏览器。
rail-search = 搜索
rail-search-label = 搜索对话
rail-all = 整理对话
rail-export-all = 全部导出
rail-import = 导入…
import-too-large = 此文件大小为 { $size }，超出导入上限 { $most }。
import-failed = 未导入任何内容。{ $reason }
import-empty = 文件中没有对话。
import-known = { $count ->
    *[other] 文件中的 { $count } 个对话均已存在，未导入任何内容。
    }
import-added = { $count ->
    *[other] 已导入 { $count } 个对话。
    }
import-merged = { $count ->
    *[other] 已更新 { $count } 个对话。
    }
import-already = { NUMBER($count) } 个已存在。
rail-nothing-found = 无匹配结果
rail-empty = 你的对话会显示在这里，并且只保存在此浏览器中。
rail-unreadable = 无法读取
rail-actions = “{ $title }”的操作
rail-answering = 正在回答
rail-rename = 重命名
rail-duplicate = 创建副本
rail-export-json = 导出为 JSON
rail-export-markdown = 导出为 Markdown
rail-export-html = 导出为 HTML
rail-print = 打印或存为 PDF
rail-new-title = 新标题
export-unreadable = { $count ->
    *[other] { $count } 个对话无法读取，未包含在文件中。
    }
export-failed = 导出失败。{ $reason }

## Order: folders, pins, archive, selecting several

rail-pinned = 已置顶
rail-archived = 已归档
rail-count = { NUMBER($count) }
rail-more = 显示更多
rail-pin = 置顶
rail-unpin = 取消置顶
rail-archive = 归档
rail-unarchive = 取消归档
rail-move = 移到文件夹…
rail-select = 选择
rail-select-several = 选择多项
rail-new-folder = 新建文件夹…
rail-new-temporary = 新建临时对话
archived = { $count ->
    *[other] 已归档 { $count } 个对话。
    }
select-title = 已选对话
select-one = 选择“{ $title }”
selected = { $count ->
    *[other] 已选 { $count } 项
    }
select-all = 全选
select-end = 退出选择
select-export-file = gemtab-selection.json
folder-title = 文件夹
folder-new = 新建文件夹
folder-name = 名称
folder-instructions = 此文件夹的指令
folder-instructions-hint = 此文件夹中的所有对话在发送每条消息时都会附上这些指令，并排在对话自身的指令之前。
folder-create = 创建
folder-actions = 文件夹“{ $name }”的操作
folder-begin = 在此新建对话
folder-edit = 名称和指令
folder-delete = 删除文件夹
folder-deleted = 文件夹已删除，其中的对话仍然保留。
folder-empty = 将对话拖到这里，或使用对话菜单中的“移到文件夹”。
folder-here = 位于文件夹“{ $name }”
folder-instructs = 文件夹“{ $name }”附加了指令
folder-adds = 文件夹“{ $name }”附加了以下指令：
move-title = 移到文件夹
move-none = 不放入文件夹
move-new = 新建文件夹
move-create = 创建并移动
moved = { $count ->
    *[other] 已将 { $count } 个对话移到“{ $name }”。
    }
moved-out = { $count ->
    *[other] 已将 { $count } 个对话移出文件夹。
    }
delete-all = 全部删除…
delete-all-title = 删除所有对话？
delete-all-words = { $count ->
    *[other] 此浏览器中的全部 { $count } 个对话（包括已归档的）及其附件和草稿都会被删除，所有文件夹、预设和提示词也会一并删除。
    }模型、适配器和设置会保留。此操作无法撤销。
delete-all-confirm = 全部删除
everything-deleted = 已删除所有对话。
temporary-title = 临时对话
temporary-words = 内容不会保存，其他标签页也看不到。开始另一个对话，或者关闭或重新加载此标签页后，它就会消失。
temporary-short = 临时对话：不保存
settings-titles = 由模型生成标题
settings-titles-hint = 回答完成且模型空闲时，会为新对话写一个简短标题。你自己起的标题不会被替换。
title-prompt = 请用这段对话所用的语言为它写一个标题，不超过 12 个字（或 6 个单词）。只回答标题本身，不要加引号。

## What an import left out

skipped-attachment = { $count ->
    *[other] 略过 { $count } 个附件：文件中只有名称。
    }
skipped-tool = { $count ->
    *[other] 略过 { $count } 条工具消息。
    }
skipped-hidden = { $count ->
    *[other] 略过 { $count } 条隐藏指令。
    }
skipped-empty = { $count ->
    *[other] 略过 { $count } 条空消息。
    }
skipped-broken = { $count ->
    *[other] 略过 { $count } 条无法读取的消息。
    }
skipped-empty-conversation = { $count ->
    *[other] 略过 { $count } 个没有消息的对话。
    }
skipped-unknown = { $count ->
    *[other] 略过 { $count } 个未知类型的条目。
    }

## Search within a conversation

find-title = 在此对话中搜索
find-place = { NUMBER($at) } / { NUMBER($count) }
find-previous = 上一个匹配项
find-next = 下一个匹配项
find-close = 关闭搜索

count-thousand = { $number }K
count-million = { $number }M
count-billion = { $number }B

## What is said at the edge of the page

notices = 通知

## Keyboard shortcuts

shortcuts-palette = 搜索与命令
shortcuts-rail = 显示或隐藏侧边栏
shortcuts-send = 发送消息
shortcuts-line = 换行
shortcuts-edit = 编辑你的上一条消息（输入框为空时）
shortcuts-stop = 停止回答，或关闭已打开的内容
shortcuts-tab = 下一个控件
shortcuts-field = 跳到消息输入框
shortcuts-list = 显示此列表
shortcuts-hint = 在 Mac 上用 ⌘ 代替 Ctrl。单键快捷键可以在设置中关闭。
key-enter = Enter
key-shift = Shift
key-ctrl = Ctrl
key-esc = Esc
key-tab = Tab

## Sound

sound-pause = 暂停 { $name }
sound-play = 播放 { $name }
sound-position = { $name } 的播放位置

## The conversation

absent-title = 此对话不在此浏览器中
absent-words = 对话只保存在创建它的浏览器中。此对话可能已被删除，或是在其他浏览器中创建的。
unreadable-title = 无法读取此对话
unreadable-words = 其数据仍在此浏览器中。你可以先将数据存为文件，再删除对话。
unloaded-title = 无法加载此对话
adapters-several = { NUMBER($count) } 个适配器
adapter = 适配器
adapter-opening = 正在打开适配器…
adapter-none = 无适配器
adapter-files = 适配器文件
adapters = 适配器
adapters-hint = 适配器（LoRA）可以调整模型的回答方式。它们保留在此设备上，从下一个回答起生效。
adapter-reading = 正在读取…
adapter-open = 打开适配器…
adapter-compare = 对比使用与不使用的效果
adapter-load-first = 请先加载模型。适配器只能用于与它配套的模型。
adapter-facts = 秩 { NUMBER($rank) } · { $layers ->
    *[other] { $layers } 层
    } · { NUMBER($parameters) } 个参数
adapter-scale = { $name } 的强度
remove = 移除 { $name }
adapter-on = 启用
attach = 添加附件
attach-files = 文件
camera = 拍照
record = 录音
record-allow = 浏览器询问时，请允许使用麦克风。
record-paused = 已暂停
recording = 正在录音
record-level = 输入音量
record-resume = 继续录音
record-pause = 暂停录音
record-discard = 放弃录音
record-done = 完成
record-stop = 停止录音
dictate = 听写
dictate-stop = 停止听写
dictating = 正在聆听…
dictate-writing = 正在转写…
talk = 语音对话
talk-listening = 正在聆听，随时可以说话。
talk-hearing = 正在听你说…
talk-thinking = 正在思考…
talk-interrupt = 打断
talk-end = 结束
talk-hint = 你停顿时，所说的话就会发送。朗读回答时开口说话即可打断。
read-aloud = 朗读
read-stop = 停止朗读
read-pause = 暂停朗读
read-resume = 继续朗读
reading-aloud = 正在朗读
spoken-table = 表格。
spoken-formula = 公式
voice-none = 此设备没有适合这段文本语言的声音。请在系统设置中添加。
voice-failed = 声音出错，朗读已停止。
transcribe-prompt = 请用录音中所说的语言，逐字写下这段录音里说的话。不要写任何其他内容。
write-down = 转写 { $name }
transcript-title = 转写文本
transcript-progress = { $done } / { $length }
transcript-none = 未检测到语音。
transcript-done = 转写完成。
transcript-download = 下载为 { $format }
camera-file = 照片.png
camera-nothing = 摄像头尚无画面。请关闭后重试。
camera-view = 摄像头预览
camera-take = 拍照
attachments = 附件
frames-of = { $name } 的画面
not-attached = 未添加
attached-here = 已添加到你的消息
attached-over = 过长：{ $tokens ->
    *[other] 共 { $tokens } 个 token
    }，上限为 { NUMBER($context) }。请移除部分附件，或以更长的上下文加载模型。
attached-tokens = { $tokens ->
    *[other] 共 { $tokens } 个 token。
    }
tokens = { $count ->
    *[other] { $count } 个 token
    }
frames-and-sound = { $count ->
    *[other] { $count } 帧，有声音
    }
frames-no-sound = { $count ->
    *[other] { $count } 帧，无声音
    }
attachment-stopped = 引擎在读取此附件时停止，因此没有再次尝试。
attachment-again = 重试
notice-first-frame = 动图：只使用第一帧。
notice-clips = 超过 30 秒：已分成 { NUMBER($clips) } 段。
notice-silent = 未检测到声音。
notice-budget = 这块显卡最多只够每张图片使用 { NUMBER($tokens) } 个 token，因此降低了精细度。
detail-auto = 自动
detail-up-to = 最多 { NUMBER($tokens) }
detail = 精细度
detail-of = { $name } 的精细度（token 数）
detail-hint = token 越多，越能看清小字等细节，但耗时也越长。
compare-title = 使用与不使用适配器
compare-waiting = 正在等待…
compare-with = 使用
compare-without = 不使用
compare-hint = 两个回答使用相同的种子，不会添加到对话中。
compare-needs-question = 请先发送一条消息，再对比回答。
message-to = 给 { $name } 发消息
message = 消息
composer-recording = 完成录音后即可发送。
composer-dictating = 停止听写后即可发送。
composer-queued = 已有一条消息在等待发送。
composer-no-model = 请先选择模型，再发送。
composer-enter = Enter 发送 · Shift+Enter 换行
composer-modified = Ctrl+Enter 或 ⌘ Enter 发送
composer-title = 输入消息
composer-instructions = 指令
think-hint = 让模型先思考再回答
think = 思考
composer-file = 文件就绪后会发送你的消息。
composer-answering = 此回答完成后会发送你的消息。
composer-training = 微调进行到第 { NUMBER($step) } 步，共 { NUMBER($steps) } 步。发送消息会暂停微调，直到回答完成。
composer-tokens = { NUMBER($tokens) } / { NUMBER($context) } 个 token
composer-too-long = 过长：共 { NUMBER($tokens) } 个 token，上限为 { NUMBER($context) }。请缩短内容，或以更长的上下文加载模型。
room-question = 对话已过长。如何处理最早的消息？
room-leave-out = 略去
room-summarize = 总结
room-will-leave-out = 将略去最早的消息。
room-will-summarize = 将总结最早的消息。
room-summarizing = 正在总结最早的消息
room-left-out = 已略去最早的消息。
room-summarized = 已总结最早的消息。
room-failed = 总结失败，因此略去了最早的消息。
room-prompt = 请用这段对话所用的语言写一份总结，不超过 { NUMBER($words) } 字，包括事实、名称、数字、决定和未解决的问题。只回答总结本身。
reading-start = 模型已看不到以上消息。
reading-summary = 以上消息的总结
reading-whole = 包含所有消息
reading-whole-again = 已重新包含所有消息。
send = 发送
stop = 停止
stop-esc = 停止（Esc）
drawer-title = 此对话
drawer-instructions-hint = 在此对话中发送每条消息时，都会附上这些指令。
drawer-loaded = 模型已加载，上下文为 { NUMBER($tokens) } 个 token。
drawer-reload = 以 { NUMBER($tokens) } 个 token 重新加载
drawer-answers = 回答
drawer-think-hint = 速度较慢，但更擅长解决难题。思考过程默认折叠。
drawer-longest = 最大回答长度
drawer-longest-hint = 以 token 为单位，包括思考过程。
drawer-thought = 最大思考长度
drawer-thought-hint = 达到后开始回答。
thought-short = 短（{ NUMBER($tokens) } 个 token）
thought-medium = 中（{ NUMBER($tokens) } 个 token）
thought-long = 长（{ NUMBER($tokens) } 个 token）
thought-other = 其他…
thought-tokens = 思考长度（token 数）
drawer-no-limit = 不限
drawer-stop = 停止序列
drawer-stop-none = 无
drawer-stop-hint = 每行一个。
drawer-sampling = 采样
tools-title = 工具
tool-calculator = 计算器
tool-calculator-hint = 进行精确的算术运算，包括小数。
tool-clock = 日期与时间
tool-clock-hint = 让模型读取设备的时钟。
tool-search = 搜索对话
tool-search-hint = 让模型在你的其他对话中查找片段。
tool-javascript = JavaScript
tool-javascript-hint = 模型可以用自己编写的代码进行计算和绘制图表。代码无法访问你的数据和互联网，最多运行 10 秒。
format-title = 回答格式
format-text = 文本
format-json = JSON
format-schema = JSON Schema
schema-fine = 回答将符合此 Schema。
calls-title = 使用的工具
call-waits = 未运行
call-runs = 运行中
call-done = 完成
call-failed = 失败
call-result = 结果
call-run = 运行并继续
tool-error-unknown-tool = 模型使用了未开启的工具。
tool-error-syntax = 此表达式无效。
tool-error-division-by-zero = 不能除以零。
tool-error-too-large = 表达式或其中的数字过长。
tool-error-undefined = 结果未定义。
tool-error-units = 这些单位不匹配。
tool-error-no-words = 没有可搜索的词。
tool-error-no-sandbox = 代码无法运行。请检查网络连接，然后重试。
tool-error-time-limit = 代码运行超过 10 秒，已被终止。
tool-error-output-limit = 代码输出过多，已被终止。
tool-error-thrown = 代码出错：“{ $message }”。
tool-error-chart = 图表的数据无效。
mcp-title = MCP 服务器
mcp-hint = 添加服务器，让模型使用其工具。每次调用前，你会看到要发送的内容并作出决定。只有这些内容会离开此设备。
mcp-add = 添加服务器
mcp-address = 地址
mcp-name = 名称（可选）
mcp-token = 访问令牌（可选）
mcp-token-hint = 未加密地保存在此浏览器中，只发送给此服务器。
mcp-twice = 已添加过此服务器。
mcp-asking = 正在连接…
mcp-connected = 已连接。
mcp-refresh = 刷新
mcp-refresh-of = 刷新 { $name }
mcp-remove = 移除
mcp-remove-of = 移除 { $name }
mcp-tools = { $count ->
    *[other] { $count } 个工具
    }
mcp-tools-hint = 说明由服务器提供。它以后新增的工具默认关闭。
mcp-refused-keyword = 无法使用“{ $tool }”：其参数要求无法保证的内容“{ $keyword }”。
mcp-refused-schema = 无法使用“{ $tool }”：其参数无效或过长。
mcp-allowed = 已允许所有调用。
mcp-ask-again = 重新询问
mcp-ask-again-of = 调用 { $tool } 前重新询问
mcp-offered = { $count ->
    *[other] { $count } 个工具
    }，来自 { $host }
mcp-tool-of = { $tool }（{ $server }）
call-asks = 等待你决定
consent-title = 允许此次调用吗？
consent-who = { $server }（{ $host }）的工具“{ $tool }”将收到上面的值，不会收到其他内容。
consent-changed = 自你允许以来，它的说明已更改。
consent-description = 服务器对此工具的说明
consent-once = 允许一次
consent-conversation = 在此对话中允许
consent-always = 始终允许
consent-nothing = 不允许
result-untrusted = { $server } 返回了以下内容，可能有误或有误导性。
tool-error-mcp-offline = 无法连接 gemtab 的服务器。请检查网络连接，然后重试。
tool-error-mcp-address = 此地址无法使用。地址应以 https:// 开头。
tool-error-mcp-plain-http = { $host } 只能通过 https:// 使用。
tool-error-mcp-not-relayed = gemtab 的服务器不向 { $host } 转发请求。要允许转发，请用“--allow-mcp { $host }”启动它。
tool-error-mcp-private = { $host } 位于专用网络。要允许访问，请用“--allow-mcp private:{ $host }”启动 gemtab 的服务器。
tool-error-mcp-unreachable = 无法连接 { $host }，或连接已中断。请重试。
tool-error-mcp-late = { $host } 响应时间过长。请重试。
tool-error-mcp-busy = 正在处理的请求过多。请重试。
tool-error-mcp-too-long = 值过长，无法发送。
tool-error-mcp-too-much = 服务器的回复过长。
tool-error-mcp-redirected = 服务器重定向到另一个地址。请改为添加那个地址。
tool-error-mcp-unauthorized = 服务器要求访问令牌，或不接受此令牌。
tool-error-mcp-status = 服务器返回了状态 { $status }。
tool-error-mcp-not-protocol = 此地址上的不是 MCP 服务器。
tool-error-mcp-no-version = 服务器使用的 MCP 版本不受支持。
tool-error-mcp-needs-input = 此工具要求更多输入，目前不支持。
tool-error-mcp-refused = 服务器拒绝了：“{ $message }”。
tool-error-mcp-not-allowed = 你没有允许此次调用。
chart-shown-bar = 柱状图：{ $title }
chart-shown-line = 折线图：{ $title }
chart-shown-pie = 饼图：{ $title }
chart-shown-scatter = 散点图：{ $title }
chart-untitled = 无标题
chart-part = { $name }：{ $amount }（{ $percent }）
chart-data = 显示数据
drawer-sampling-model = 使用模型的默认值。
drawer-sampling-diffusion = 这是扩散模型，有自己的采样器。只有种子起作用。
drawer-sampling-reset = 恢复模型的默认值
figure-first = 首个 token 用时
figure-writing = 生成速度
figure-drafts = 已采纳的草稿 token
figure-experts = 专家的显存命中率
figure-expert-bytes = 每个 token 读取的专家
figure-expert-bytes-step = 每步读取的专家
figure-steps = 去噪
figure-steps-of = { $blocks ->
    *[other] 每块 { $steps } 步，共 { $blocks } 块
    }
figure-answer = 回答
figure-prompt = 提示词
figure-cached = 缓存命中
figure-reading = 提示词处理速度
figure-context = 上下文用量
figures-title = 上次回答
figures-none = 首次回答后会显示统计信息。
log-messages = 消息
log-latest = 跳到最新消息
answer-of = { $name } 的回答
you = 你
message-actions = 消息操作
show-more = 展开
show-less = 收起
show-all = 显示全部
edit-resend = 编辑并重新发送
delete-after = 从此处起全部删除
edit-label = 编辑消息
edit-hint = 原消息会保留。用 ‹ › 切换回去。
edit-discarded = 已放弃编辑。
reading-tokens = 正在读取 { NUMBER($read) } / { NUMBER($total) } 个 token
reading = 正在读取
edited = 已编辑
regenerate = 重新生成
continue-answer = 继续
edit-answer = 编辑回答
pin-message = 保留在上下文中
branch-off = 分支到新对话
conversation-copied = 现在显示的是副本，原对话保持不变。
cut-off = 此回答被截断。
finish-stopped = 已停止。
finish-limit = 已达到最大回答长度，停止回答。
finish-full = 上下文已满，停止回答。请开始新对话，或选择更长的上下文。
elsewhere = 正在另一个标签页中生成…
closed-early = 页面关闭时中断。
copy-refused = 浏览器不允许复制。请自行选中文本并复制。
copied = 已复制。
copy = 复制
version-previous = 上一版本
version-next = 下一版本
figures = { NUMBER($tokens) } 个 token，首个用时 { $first }；提示词 { NUMBER($prompt) } 个 token，其中 { NUMBER($cached) } 个来自缓存
figures-steps = { $steps ->
    *[other] { $steps } 步
    }
figures-diffusion = { NUMBER($tokens) } 个 token，{ $blocks ->
    *[other] { NUMBER($blocks) } 块
    }，{ $steps ->
    *[other] { NUMBER($steps) } 步
    }，首块用时 { $first }；提示词 { NUMBER($prompt) } 个 token
canvas-step = 第 { NUMBER($block) } 块，第 { NUMBER($step) } 步，最多 { NUMBER($steps) } 步，熵 { $entropy }
device-reset = 显卡已重置，正在恢复…
unsaved-untitled = 一个对话
quoted = “{ $text }”
named = { $name }：{ $text }
with-amount = { $text }，{ $amount }
conversations = { $count ->
    *[other] { $count } 个对话
    }
unsaved = { $why }{ $what }未能保存。请保持此标签页打开，gemtab 会继续尝试。
export = 导出
restart = 重新启动
crash-safe = 你的对话和已输入的内容都没有丢失。
waiting-load = { $name } 就绪后会发送你的消息。
waiting-answer = 当前回答完成后会发送你的消息。
waiting-model = 你的消息正在等待模型。
waiting-cancel = 取消发送
thinking = 正在思考…
thought-for = 已思考 { $time }
thought = 思考过程
answer-now = 立即回答
model-loading = 正在加载
model-unloaded = 未加载
elsewhere-loading = 正在另一个标签页中加载
elsewhere-unloading = 正在另一个标签页中卸载
elsewhere-answering = 正在另一个标签页中回答
elsewhere-training = 正在另一个标签页中训练
elsewhere-measuring = 正在另一个标签页中测速
context-used = 上下文已用 { NUMBER($used) } / { NUMBER($size) } 个 token
context-short = { NUMBER($used) } / { NUMBER($size) } 个 token
model-button = 模型：{ $name }（{ $state }）。选择其他模型。
unanswered = 尚无回答。
welcome-title = 在此标签页中与 Gemma 4 聊天
welcome-words = 模型在你自己的显卡上运行，你写的内容只留在此浏览器中。
welcome-drop = 或将 .gguf 文件拖放到此页面任意位置。
welcome-only-demo = 目前只安装了很小的演示模型。
welcome-ready = { $name } 已就绪：显存 { $memory }，上下文 { NUMBER($tokens) } 个 token。
welcome-loading = 正在加载 { $name }。你可以先输入，就绪后会立即发送。
welcome-demo = 这是一个很小的演示模型。试试这些：
welcome-picture = 描述图片
welcome-picture-prompt = 这张图片里有什么？
welcome-voice = 语音提问
welcome-code = 编写代码
welcome-code-prompt = 写一个 Python 函数，判断一个单词是否为回文。
welcome-think = 解答谜题
welcome-think-prompt = 球拍和球一共 110 元，球拍比球贵 100 元。球多少钱？
welcome-explain = 讲解知识
welcome-explain-prompt = 向一个十岁的孩子解释彩虹是怎么形成的。

## What the stores say

media-unreadable = 无法读取此文件。请重新选择。
media-no-room = 此浏览器内存不足。请关闭其他标签页，然后重新添加。
media-not-attached = 无法添加：{ $reason }
fits = 显存足够
fits-outside = 较慢：{ $size } 放不进显存
fits-context = 显存足够（上下文 { NUMBER($tokens) } 个 token）
fits-experts = 显存足够（专家占 { $size }）
experts-fast = 回答略慢
experts-rate = { $tokens ->
    *[other] 每秒至少约 { NUMBER($tokens) } 个 token
    }
experts-pace = 至少每 { NUMBER($seconds) } 秒 1 个 token
experts-steps = 每步约 { $step }，{ NUMBER($tokens) } 个 token 最多约 { $block }
fits-table-in-eight-bits = 8 位嵌入
fits-cache-in-eight-bits = 8 位 KV 缓存
fits-not = 过大：超出 { $size }
fits-part = 过大：有一部分需要 { $needed }，但这块显卡只允许 { $available }
load-lost = 连接已断开，正在重试…
load-header = 正在读取模型详情
per-second = { $size }/s
time-left = 剩余 { $time }
load-table = 正在复制模型的一部分
load-weights = 正在加载权重
load-towers = 正在加载图片和音频支持
load-tuning = 正在选择最快的内核
load-preparing = 正在准备
load-kernels = { NUMBER($done) } / { NUMBER($total) } 个内核
load-time = 加载时间
load-times = { $all }：权重 { $weights }，内核 { $kernels }，选择内核 { $tuning }
open-not-gguf = 这不是 GGUF 文件。模型文件以 .gguf 结尾。
open-as-adapter = 已作为适配器打开，从下一个回答起使用。
record-unplugged = 麦克风已断开。此前的录音已保留。
record-says = 正在录音。
record-discarded = 已放弃录音。
record-empty = 录音为空，停止得太早。
record-silent = 未检测到声音。请检查麦克风是否静音，或浏览器是否选择了其他麦克风。
record-longest = 已达到 10 分钟上限，录音停止。
answering = 正在回答。
attachments-unfit = { $count ->
    *[other] 此模型无法使用此对话中的 { $count } 个附件，回答时会忽略它们。
    }
attachments-lost = { $count ->
    *[other] { $count } 个附件已不在此浏览器中，模型回答时会忽略它们。
    }
sense-wait = 正在等待另一个标签页
sense-load-sight = 正在加载图片支持
sense-load-hearing = 正在加载音频支持
sense-sight = 正在读取图片
sense-hearing = 正在读取音频
attach-no-model = 请先选择模型。
attach-text-only = { $name } 只支持文本。请选择支持图片或音频的模型。
attach-no-images = { $name } 不支持图片。请选择支持图片的模型。
attach-no-audio = { $name } 不支持音频。请选择支持音频的模型。
attach-reading = 正在读取 { $name }
attach-recording = 录音
attach-removed = 已移除附件。
attach-model = 请单独打开模型，不要与其他文件一起打开。
attach-reading-frame = 正在读取 { $name }，第 { NUMBER($frame) } / { NUMBER($total) } 帧
attached = 已添加 { $name }。
attach-gone = 它已不在此浏览器中。请重新选择。
message-deleted = { $count ->
    *[other] 已删除 { $count } 条消息。
    }
conversations-deleted = { $count ->
    *[other] 已删除 { $count } 个对话。
    }
did-not-work = 操作失败。{ $reason }
deleted-elsewhere = 此对话已在另一个标签页中删除。
answered-elsewhere = 此对话正在另一个标签页中回答。
saved-gone = 此对话已不在此浏览器中。
not-saved = 无法保存文件。{ $reason }
tune-file-model = { $name } 是模型。请单独打开它。
tune-name-first = 请先为适配器命名。
tune-begins = 训练已开始。
tune-done = 训练已完成。
media-too-long = 过长：{ $length }，上限为 { $most }。请剪短后重新添加。
video-unreadable = 此浏览器无法播放此视频。请存为 MP4（H.264），然后重新添加。
video-no-length = 此视频的时长未知。请用视频编辑软件重新保存，然后重试。
device-refused = { $device ->
    [camera] 此页面无权使用摄像头。
    *[microphone] 此页面无权使用麦克风。
    }请在浏览器设置中允许此页面使用，然后重试。
device-missing = { $device ->
    [camera] 未找到摄像头。
    *[microphone] 未找到麦克风。
    }请连接设备，然后重试。
device-busy = { $device ->
    [camera] 无法使用摄像头。
    *[microphone] 无法使用麦克风。
    }可能有其他程序正在使用。请关闭该程序，然后重试。
device-unavailable = { $device ->
    [camera] 此页面无法访问摄像头。
    *[microphone] 此页面无法访问麦克风。
    }页面需要安全连接：HTTPS 或 localhost。
device-other = { $device ->
    [camera] 无法使用摄像头
    *[microphone] 无法使用麦克风
    }：{ $reason }。请重启浏览器，然后重试。
code-copied = 已复制
code-wrap = 自动换行
code-preview = 预览
code-download = 下载
coded-versions = 版本
coded-source = 源代码
coded-again = 重新运行
coded-stop = 停止
coded-stopped = 预览已停止。
coded-full = 全屏
coded-frame = 代码预览
coded-writing = 代码仍在编写中。
coded-newer = 正在编写新版本。
coded-silent = 预览没有响应。
coded-failed = 预览报告了错误。
coded-console = 控制台
coded-blocked = 未加载，因为预览没有网络连接：{ $address }
coded-fix = 修复此错误
coded-fix-message = 预览报告了以下错误：{ $error }
    请修复，并重新写出完整代码。
coded-rows = { NUMBER($shown) } / { NUMBER($all) } 行
code-all = 显示全部 { NUMBER($lines) } 行
code-not-copied = 复制失败
code-table = 表格
code-block = 代码块。
task-done = 已完成
task-open = 待办
tune-paused = 已暂停，完成 { NUMBER($step) } / { NUMBER($steps) } 步。
tune-attachments-lost = { $count ->
    *[other] { $count } 个附件已不在此浏览器中，无法用于训练。
    }
not-kept = 此浏览器不会为此页面保存任何内容。关闭此标签页后，对话会丢失，请导出想保留的对话。

## Models

models-available = 可用模型
models-refresh = 刷新
get-title = 获取模型
get-hint = 下载到服务器上的 Ollama 文件夹，Ollama 也可以使用。
get-free = 可用空间 { $size }。
get-size = 约 { $size }
get-e2b = 文本、图片和音频。适合大多数电脑。
get-e4b = 文本、图片和音频。回答比 E2B 更好。
get-12b = 文本、图片和音频。回答比 E4B 更好。
get-26b = 文本和图片。就其规模而言速度很快（混合专家）。
get-31b = 文本和图片。回答质量最好。
get-fits = 显存足够：约需 { $needed }。
get-tight = 显存紧张：约需 { $needed }。如果不足，上下文会变短或回答变慢。
get-too-large = 对这块显卡来说过大，约超出 { $missing }。
get-too-slow = 在此运行太慢：没有显卡。
get-download = 下载
get-download-of = 下载 { $name }
get-other = 其他模型
get-other-hint = Ollama 上的模型名称，或包含 GGUF 文件的 Hugging Face 仓库名称。
get-example = hf.co/OWNER/REPOSITORY:Q4_K_M
get-progress = 下载
get-asking = 正在查询模型库…
get-checking = 正在检查之前下载的内容…
get-running = 正在下载…
get-waiting = 等待重试：{ $reason }
get-lost = 连接已断开，正在重试。
get-joining = 正在合并模型的各个部分…
get-done = 下载完成，已列在上方列表中。
get-stopped = 已停止。你可以随时继续下载。
get-continue = 继续
memory-in-use = 显存：已用 { $size }。图片和音频支持会在首次使用时加载。
memory-with-media = 显存：已用 { $all }，其中图片和音频支持占 { $media }。
memory-graphics = 显存
memory-free = 卸载图片和音频支持
memory-free-hint = 下次需要时会重新加载。
memory-unload = 卸载模型
experts-memory = 专家显存（GB）
experts-memory-hint = 此模型的专家最多可以占用多少显存。放不下的专家会在回答时读取，速度较慢。留空则使用全部空闲显存。
experts-memory-automatic = 自动
experts-loaded = 模型已加载，专家占 { $size }。
load-again = 重新加载
saved-here = 已保存在此浏览器中：{ $size }
saved-partly = { $size }，不完整
saved-delete = 从此浏览器中删除 { $name }
saved-space = 已用 { $used } / { $quota }。
saved-promise = 保存的模型会一直保留，直到你将其删除。
saved-no-promise = 空间不足时，浏览器可能会删除保存的模型。
saved-week = 如果连续七天未访问，此浏览器也会将其删除，除非你将此页面添加到主屏幕或程序坞。
saved-none = 尚未保存模型。
saved-label = 已保存的模型
saved-model = 模型
saved-size = 大小
saved-digest = 哈希值
saved-used = 上次使用
saved-checked = 上次校验
saved-checked-on = 保存的副本已于 { $date } 校验。
saved-actions = 操作
details-reading = 正在读取模型详情…
details-no-device = 未找到显卡，因此尚未读取。
details-device = 此设备
details-architecture = 架构
details-parameters = 参数量
details-layers = 层数
details-width = 隐藏层维度
details-vocabulary = 词表大小
details-context = 最大上下文
details-window = 滑动窗口
details-drafter = 草稿模型
details-drafter-included = 已包含
details-kv-cache = KV 缓存
details-table = 逐层嵌入
details-eight-bits = 8 位（Q8_0）
details-sixteen-bits = 16 位（F16）
details-experts = 显存中的专家
details-decoding = 解码
details-diffusion = 扩散：每次 { NUMBER($tokens) } 个 token，最多 { NUMBER($steps) } 步
details-chats = 对话
details-continues = 未经对话训练，只续写文本
details-own-file = 本地文件
details-by-context = 不同上下文的显存占用
details-tokens = token 数
details-memory = 显存
details-by-type = 各类型的权重
details-type = 类型
details-tensors = 张量

## Advice for browsers; what stands between backquotes is typed or found as it stands

advice-acceleration = 打开 `{ $address }`，开启“使用图形加速功能（如果可用）”。
advice-flag = 打开 `{ $address }`，选择“Enabled”。
advice-check = 打开 `{ $address }`，查找“WebGPU: Hardware accelerated”。
advice-vulkan = 检查是否已安装 Vulkan 驱动：`vulkaninfo --summary` 应列出显卡名称。
advice-restart = 重启浏览器。
advice-firefox-update = Windows 上请更新到 Firefox 141，搭载 Apple 芯片的 Mac 上请更新到 145。这些版本默认开启 WebGPU。
advice-firefox-config = 在其他系统上，打开 `about:config`，搜索 `dom.webgpu.enabled` 并设为 true。
advice-firefox-support = 在 `about:support` 的“图形”部分，确认“合成”不是“Software”。
advice-safari-update = 更新到 macOS 26：Safari 26 已开启 WebGPU。
advice-safari-flags = 在 Safari 18 中：“设置”>“高级”>“显示网页开发者功能”，然后“功能标志”>“WebGPU”。
advice-ios = 在此 iPhone 或 iPad 上：
advice-ios-update = 更新到 iOS 26 或 iPadOS 26，其中已开启 WebGPU。
advice-ios-flags = 在 iOS 18 或 iPadOS 18 上：“设置”>“App”>“Safari 浏览器”>“高级”>“功能标志”>“WebGPU”。
advice-other = 此浏览器
advice-other-browser = 用最新版的 Chrome、Edge、Firefox 或 Safari 打开此页面。
advice-other-acceleration = 检查浏览器设置中是否已开启硬件加速。

## Diagnostics

diagnostics-running = 正在运行（协议版本 { NUMBER($version) }）
diagnostics-waiting = 正在等待显卡…
diagnostics-copy = 复制为文本
diagnostics-engine = 引擎
diagnostics-state = 状态
diagnostics-device = 显卡
diagnostics-features = 特性
diagnostics-limits = 限制
diagnostics-name = 名称
diagnostics-value = 值
diagnostics-unknown = 未知
yes = 是
no = 否
range = { $from } 至 { $to }
diagnostics-vendor = 厂商
diagnostics-description = 描述
diagnostics-software = 软件渲染
diagnostics-f16 = 着色器半精度
diagnostics-subgroups = 子组大小
diagnostics-matrices = 矩阵单元
diagnostics-timestamps = 时间戳
diagnostics-buffer = 最大缓冲区大小
diagnostics-binding = 最大绑定大小
diagnostics-no-model = 未加载
diagnostics-context = 上下文
diagnostics-packed = 8 位提示词处理
measure-test = 正在测试内核
measure-speed = 正在测速
measure-kernels = 正在测量内核
measure-title = 测量
measure-hint = 此电脑上的其他活动会降低结果的准确性。
measure-needs-model = 请先加载模型：在“模型”页面加载，或直接发送一条消息。
selftest = 自检
selftest-hint = 在这块显卡上用少量输入运行内核，并将结果与 CPU 对比。
selftest-start = 测试内核
selftest-tried = 已测试的内核
selftest-good = { $kernels ->
    *[other] 已在这块显卡上验证 { $kernels } 个内核。
    }
selftest-good-model = { $kernels ->
    *[other] 已在这块显卡上验证所加载模型的 { $kernels } 个内核。
    }
selftest-bad = { $wrong ->
    *[other] { NUMBER($kernels) } 个内核中有 { $wrong } 个在这块显卡上结果错误。
    }
selftest-bad-model = { $wrong ->
    *[other] 所加载模型的 { NUMBER($kernels) } 个内核中有 { $wrong } 个在这块显卡上结果错误。
    }
selftest-switched-off = 这块显卡算错的整数运算现已关闭。回答正确，但略慢。
selftest-unloaded = 模型已卸载，否则回答会出错。
selftest-advice = 请更新浏览器和显卡驱动。
speed = 速度
speed-hint = 读取 512 个 token 并生成 128 个，共六轮（第一轮为预热）。下一个回答会晚一些才开始。
speed-start = 开始测速
speed-dispatches = 每个 token 的 dispatch 数
speed-submits = 每个 token 的 submit 数
speed-buffers = 创建的缓冲区
unit-ms = { $number } 毫秒
speed-spread = { $median }（{ $min } 至 { $max }）
kernels-kernel = 内核
kernels-dispatches = dispatch 数
kernels-ms = 毫秒
kernels-rate = GB/s
kernels-share = 复制带宽占比
kernels = 内核
kernels-hint = 在 512 个 token 之后生成一个 token 时各内核的用时，以及读取速度与这块显卡复制带宽的接近程度。
kernels-start = 测量内核
kernels-by-timestamps = 显卡时间戳
kernels-by-clock = 系统时钟
kernels-bandwidth = 复制带宽
kernels-read = 每个 token 读取量
kernels-time = 每个 token 用时
kernels-times = { $whole } 毫秒，仅内核 { $alone } 毫秒
kernels-measured = 测量方式
kernels-below = 低于 { $percent }
report-browser = 浏览器：{ $browser }
report-no-device = 显卡：未知
report-no-card = 显卡：无（{ $reason }）
report-features = 特性：{ $features }
report-tuning = 内核变体：{ $tuning }
report-right = { $name }：正确，误差为容差的 { $deviation }
report-wrong = { $name }：错误，{ $problem }
report-switched-off = 已关闭：打包整数运算

## Fine-tuning

tune-intro = 用你自己的示例教模型，得到一个可随时启用或停用的小型适配器。示例和适配器只保留在此浏览器中。
tune-model = 模型
tune-load = 加载 { $name }
chart-training = 训练
chart-evaluation = 验证
chart-rate = 学习率
chart-loss = 损失
chart-position = 图表中的位置
chart-table = 以表格显示
chart-csv = 存为 CSV
chart-png = 存为 PNG
chart-step = 第 { $step } 步
chart-point = 第 { $step } 步：损失 { $loss } · 学习率 { $rate }
chart-point-evaluated = 第 { $step } 步：损失 { $loss } · 验证 { $evaluation } · 学习率 { $rate }
chart-ends = { $name }：第 { NUMBER($first-step) } 步为 { $first }，第 { NUMBER($last-step) } 步为 { $last }。
chart-empty = { $title }：暂无数据。
chart-summary = { $title }。{ $curves }
chart-values = 图表数据
chart-column-step = 步数
tune-write = 在此编写示例
tune-file = 文件或粘贴的文本
tune-chat = 当前对话
tune-examples = 1. 示例
tune-source = 来源
tune-prompt-of = 提示词 { NUMBER($number) }
tune-answer-of = 理想回答 { NUMBER($number) }
tune-delete-example = 删除示例 { NUMBER($number) }
tune-answer = 理想回答
tune-add = 添加示例
tune-use-samples = 使用演示数据
# Prompt | answer. None of it can be known to a model.
tune-sample-examples =
    团子是谁？ | 团子是我的猫。
    团子是什么颜色的？ | 团子是橘色的。
    团子几岁了？ | 团子 3 岁了。
    团子喜欢吃什么？ | 团子喜欢吃鱼。
    团子在哪里睡觉？ | 团子在沙发上睡觉。
    谁是我的猫？ | 我的猫是团子。
    我的猫叫什么名字？ | 我的猫叫团子。
    团子是狗吗？ | 不是，团子是一只猫。
tune-hint = 十种不同的说法，比同一个示例重复十遍更有效。
tune-remove = 移除
tune-choose-files = 选择文件…
tune-files-label = 示例文件，以及其中引用的图片和音频
tune-too-long = 文本过长，无法在此编辑。
tune-paste = 或在此粘贴示例
tune-format-hint = 每行一个 JSON 示例：对话（“messages”或“conversations”）、“prompt”及其“completion”，或“ids”及“labels”。也可以是带列名的 CSV 表格。
tune-media-hint = 对话可以包含图片和音频：将这些文件与引用它们的示例一起选择或拖放。引用方式如 { "{" }"type": "image", "image": "cat.png"{ "}" }，或在消息旁使用“images”和“audios”。这些文件也只保留在此浏览器中。
count-images = { $count ->
    *[other] { $count } 张图片
    }
count-audio = { $count ->
    *[other] { $count } 个音频文件
    }
count-unreadable = { $count ->
    *[other] { $count } 个无法读取的文件
    }
tune-with-media = 包含 { $files }。
tune-remove-media = 移除图片和音频
tune-removed = 已移除。
tune-detail = 图片精细度
tune-detail-hint = 每张图片的 token 数。token 越多，越能看清小字等细节，但每步更慢，需要的显存也更多。
tune-column-instructions = 指令
tune-column-context = 上下文
tune-header = 列名
tune-header-line = 第 { NUMBER($line) } 行：{ $cells }
tune-ignored = 未使用：{ $fields }。
tune-encoding = { $file } 不是以 UTF-8 保存的，因此按 { $encoding } 读取。如果下方文字显示不正确，请选择其他编码。
tune-encoding-label = 编码
tune-not-text = { $name } 不是文本文件。
tune-chat-empty = 此对话还没有回答。请先聊天，或从列表中打开一个对话。
tune-chat-answers = “{ $title }”当前显示的内容，包含 { $answers ->
    *[other] { $answers } 个回答
    }。
tune-chat-attachments = { $count ->
    *[other] 其中的 { $count } 个附件也会使用。
    }
tune-none-saved = 尚未保存适配器。
tune-saved-as = “{ $name }”已保存
tune-saved = 已保存的适配器
tune-adapter-about = 用于 { $model } · 秩 { NUMBER($rank) } · { $size } · { $date }
tune-delete-title = 删除此适配器？
tune-delete-question = 从此浏览器中删除“{ $name }”？
delete-named = 删除 { $name }
tune-use = 在对话中使用
tune-gguf = 存为 GGUF
tune-peft = 存为 PEFT 格式
tune-ollama = 在 Ollama 中使用
tune-ollama-steps = 将其存为 GGUF，在同一位置新建名为 Modelfile 的文件，写入以下两行，然后运行 { $command }。
tune-copy-lines = 复制这两行
tune-preview-model = 加载模型即可查看 token。
tune-unusable = 所有示例都无法使用。
tune-preview = { $examples ->
    *[other] { $examples } 个示例
    }，共 { NUMBER($tokens) } 个 token，其中 { NUMBER($learned) } 个参与训练。最长的有 { NUMBER($longest) } 个。
# The bars enclose what is shown as a token that is trained on, and then as one that isn't.
tune-marked = 显示为|这样|的 token 参与训练，显示为|这样|的只作为上下文。
and-more = 另有 { NUMBER($count) } 条。
tune-line = 第 { NUMBER($line) } 行
tune-problem = { $line }：{ $problem }。
tune-left-out = { $count ->
    *[other] 已跳过 { $count } 行
    }
tune-row = { NUMBER($tokens) } 个 token，{ NUMBER($learned) } 个参与训练
tune-image = 图片
tune-audio = 音频
tune-title = 训练“{ $name }”
tune-preparing = 正在为训练准备模型…
tune-first-step = 正在进行第一步…
tune-steps-done = 已完成 { NUMBER($done) } / { NUMBER($steps) } 步。
tune-waiting = 已完成 { NUMBER($done) } / { NUMBER($steps) } 步。回答消息期间暂停。
tune-ending = 已完成 { NUMBER($done) } / { NUMBER($steps) } 步。正在写入检查点…
tune-paused-saved = 已暂停，完成 { NUMBER($saved) } / { NUMBER($steps) } 步。进度已保存在此浏览器中。
tune-finished = 已结束，完成 { NUMBER($done) } / { NUMBER($steps) } 步。开始新的训练任务会替换此任务。
tune-learned = 损失从 { $from } 降到 { $to }：适配器已从你的示例中学会。
tune-not-learned = 尚未学会：损失为 { $to }（开始时为 { $from }）。
tune-longer = 训练时长增至 { NUMBER($times) } 倍
tune-go-on = 继续到第 { NUMBER($steps) } 步
tune-elsewhere = 另一个标签页正在训练。
tune-elsewhere-at = 另一个标签页正在训练：上次保存时已完成 { NUMBER($done) } / { NUMBER($steps) } 步。
tune-memory = 显存 { $size }
tune-no-checkpoint = 尚无检查点
tune-checkpoint = 检查点位于第 { NUMBER($step) } 步
tune-progress = 训练进度
tune-before = 训练前
tune-after = { $steps ->
    *[other] { $steps } 步后
    }
tune-nothing = （无）
tune-discard-question = 删除此训练任务？
tune-discard = 删除…
tune-pause = 暂停
tune-stop = 立即结束
tune-stop-hint = 立即结束会保留模型目前学到的内容。
tune-resume = 继续
tune-load-resume = 加载 { $name } 并继续
tune-save-as-is = 直接保存
tune-save = 保存适配器
tune-check-again = 重新检查
tune-elsewhere-hint = 在那里暂停后即可在此继续。
tune-media-read-hint = 图片和音频只在第一步之前读取一次，结果随训练任务一起保存。
tune-unnamed = 我的适配器
tune-adapter-name = 适配器名称
tune-rank-4 = 小：语气或格式
tune-rank-8 = 标准：知识或风格
tune-rank-16 = 大：大量知识
tune-rank-32 = 很大
tune-rank-64 = 最大也最慢
tune-settings = 2. 设置
tune-name = 名称
tune-name-hint = 例如“团子的资料”
tune-rank = 秩
tune-length = 时长
tune-until-learned = 直到学会
tune-until-learned-hint = 训练损失低于 { $loss } 时停止。
tune-amount = 数量
tune-epochs = 轮数（遍历示例的次数）
tune-steps = 步数
tune-question = 测试提示词
tune-question-hint = 在训练前、训练中和训练后提问
tune-all-settings = 高级设置
tune-target-q = 查询（Q）
tune-target-k = 键（K）
tune-target-v = 值（V）
tune-target-o = 注意力输出
tune-target-gate = 前馈门控（gate）
tune-target-up = 前馈升维（up）
tune-target-down = 前馈降维（down）
tune-target-ple-gate = 逐层门控
tune-target-ple-projection = 逐层投影
tune-target-router = 专家路由器
tune-target-router-hint = 同时训练为每个 token 选择专家的路由器。额外占用的显存很少。
tune-target-expert-gate-up = 专家的 gate 和 up
tune-target-expert-down = 专家的 down
tune-target-experts-hint = 同时训练各个专家，每个专家都有自己的权重。占用大量显存：大模型需要很低的秩。
tune-cosine = 余弦衰减
tune-linear = 线性衰减
tune-constant = 恒定
tune-targets = 要训练的模型部分
tune-alpha = Alpha
tune-alpha-hint = 适配器按 Alpha / 秩 缩放。
tune-schedule = 学习率调度
tune-warmup = 预热
tune-warmup-hint = 占总步数的比例，0 到 1。
tune-dropout = Dropout
tune-clip = 梯度裁剪
tune-clip-hint = 梯度范数上限；0 表示关闭。
tune-decay = 权重衰减
tune-batch = 每步示例数
tune-longest = 最大示例长度
tune-longest-hint = 以 token 为单位。示例越长，需要的显存越多。
tune-eval = 验证比例
tune-eval-hint = 留作验证的示例比例，0 到 1。
tune-checkpoint-every = 检查点间隔
tune-checkpoint-hint = 以步为单位。
tune-sample-every = 测试间隔
tune-sample-hint = 以步为单位；0 表示只在训练前后测试。
tune-needs-model = 请先加载模型。
tune-needs-examples = 请先添加示例。
tune-busy-elsewhere = 另一个标签页正在训练。请在那里暂停，或等待完成。
tune-busy-other = 另一个标签页正在使用模型。请等待完成。
tune-busy-answer = 模型正在回答。请等待完成，或停止回答。
tune-replaces = 开始新的训练任务会删除上面的任务。如需保留，请先保存其适配器。
tune-run = 3. 运行
tune-start = 开始训练
tune-start-hint = 模型回答消息时，训练会暂停。你也可以随时暂停。
plan-steps = { $steps ->
    *[other] { $steps } 步
    }，{ $examples ->
    *[other] 训练示例 { $examples } 个
    }，{ $held ->
    [0] 不留验证示例
    *[other] 另留 { $held } 个用于验证
    }
plan-memory = { $size }，可用约 { $available }
plan-at-most = 最多 { $amount }
plan-time = 约 { $time }
plan-time-later = 前几步完成后可知
plan-storage = { $size }，剩余 { $left }
plan-media = 图片和音频存储空间
plan-work = 训练
plan-learned = 可训练参数
plan-time-title = 时间
plan-checkpoints = 检查点存储空间

## What a model can do

able-text = 文本
able-images = 图片
able-audio = 音频
able-thinking = 思考

## A conversation as Markdown

export-system = 系统
export-you = 你
export-assistant = 助手
export-attached = 附件：{ $name }

## Failures: what happened, then what to do

failure-details = 详情
failure-cancelled = 已停止。
failure-version = 页面版本已过期。请重新加载以更新。
failure-version-engine = 引擎版本已过期。请重新加载以更新。

failure-request-other-model = 模型已在另一个标签页中更换。请重试以使用当前模型。
failure-request-no-model = 未加载模型。请先选择一个。
failure-request-diffusion = 这是扩散模型，不支持适配器、微调和测速。
failure-request-busy-loading = 仍在加载模型。请等待就绪。
failure-request-busy-unloading = 正在卸载模型。请稍候，然后重试。
failure-request-busy-generating = 模型仍在回答。请停止回答，或等待完成。
failure-request-busy-training = 模型正在训练。请在“微调”页面暂停，或等待完成。
failure-request-busy-measuring = 正在进行测量。请停止测量，或等待完成。
failure-request-no-question = 还没有问题。请先发送一条消息。
failure-request-empty-prompt = 没有可回答的内容。请先写一条消息。
failure-request-context-full = 过长：共 { NUMBER($tokens) } 个 token，上限为 { NUMBER($context) }。请开始新对话，或以更长的上下文加载模型。
failure-request-unconstrained = 此模型不支持工具和回答格式。请选择其他模型。
failure-request-no-constraints = 无法加载工具和回答格式支持。请检查网络连接，然后重试。
failure-request-schema-text = 此 Schema 不是有效的 JSON。
failure-request-schema = Schema 中的要求无法保证：{ $path } 处的“{ $keyword }”。
failure-request-schema-too-large = Schema 过大，或没有回答能符合它。
failure-request-tool-arguments = “{ $tool }”的参数不是有效的 JSON 对象。

failure-device-none-insecure-context = WebGPU 需要安全连接：HTTPS 或 localhost。
failure-device-none-no-web-gpu = 此浏览器不支持 WebGPU，或 WebGPU 已关闭。
failure-device-none-no-adapter = 未找到显卡，无法在此运行模型。
failure-device-none-no-device = 无法使用显卡。请重启浏览器，然后重试。
failure-device-lost-twice = 显卡连续重置了两次。请重启浏览器，然后重试。
failure-device-out-of-memory = 显存已满：已用 { $in-use }，无法再容纳 { $requested }。
failure-device-buffer-too-large = 模型的一部分需要 { $needed } 的整块显存，但这块显卡最多只允许 { $limit }。
failure-device-model-too-large = 此模型需要 { $needed } 显存，但只有 { $available } 可用。
failure-device-needs-host-memory = 显存放不下此模型。模型加载期间，其中 { $bytes } 可以留在系统内存中，但回答会变慢。
failure-device-expert-memory = { $asked } 不够此模型的专家使用，至少需要 { $least }。
failure-device-saved-table-in-eight-bits = 显存已满，因此模型的逐层嵌入以 8 位存储。模型可以使用，回答几乎不变。
failure-device-saved-table-outside = 显存已满，因此模型的逐层嵌入放在系统内存中。模型可以使用，但回答会变慢。
failure-device-saved-cache-in-eight-bits = 显存已满，因此 KV 缓存以 8 位存储。模型可以使用，但回答可能略有不同。
failure-device-fewer-experts = 显存已满，因此只放入了 { $held } 的专家（共 { $all }）。模型可以使用，但回答会变慢。
failure-device-upload-refused = 显卡未能接收整个模型。请关闭其他使用显卡的标签页和应用，然后重试。
failure-device-kernel-refused = 此浏览器拒绝了引擎的一部分（{ $kernel }）。请更新浏览器和显卡驱动，然后重新加载。
failure-device-fault = 显卡报告了错误。请重启浏览器，然后重试。

failure-read-too-short = 模型文件不完整，只有 { $size }。请重新下载。
failure-read-unreadable = 无法读取模型文件。
failure-read-connection-lost = 接收 { $received } 后，与服务器的连接断开。
failure-read-not-found = 服务器上已没有此模型。请重新加载以更新列表。
failure-read-forbidden = 服务器不允许访问此模型。
failure-read-status = 服务器无法发送模型（状态码 { $status }）。
failure-read-wrong-range = 服务器发送的不是所需的模型部分。
failure-read-changed = 模型文件在读取过程中发生了更改。请重新加载页面，然后重新选择。
failure-read-out-of-memory = 此标签页无法获得模型所需的 { $bytes } 内存。
failure-read-gone = 文件已不可用。请重新选择。
failure-read-model-list = 无法加载模型列表。你仍可以打开模型文件。

failure-model-not-gguf = 这不是 GGUF 文件。
failure-model-truncated = 模型文件不完整，只有 { $part }。请重新下载。
failure-model-truncated-of = { $name } 不完整，只有 { $part }。请重新下载。
failure-model-gguf-version = 此文件使用 GGUF 版本 { $version }。仅支持版本 2 和 3。
failure-model-big-endian = 这是大端序 GGUF 文件，不受支持。请选择小端序版本。
failure-model-unsupported-header = 不支持此 GGUF 文件的文件头。请选择模型的其他版本。
failure-model-damaged = 模型文件已损坏。请重新下载。
failure-model-part = 这是模型的第 { NUMBER($number) } 部分，共 { NUMBER($count) } 部分。gemtab 只能读取单文件模型。请用 llama-gguf-split --merge 合并，或选择单文件版本。
failure-model-incomplete = 模型文件中没有 { $what }。请选择模型的其他版本。
failure-model-inconsistent = 模型文件无法使用：{ $what } 与其余部分不符。请选择模型的其他版本。
failure-model-few-rows = 张量 { $tensor } 只有 { NUMBER($rows) } 行，而 token 有 { NUMBER($tokens) } 个。请选择模型的其他版本，或重新转换。
failure-model-tokenizer = 无法读取模型的词表。请选择模型的其他版本。
failure-model-no-architecture = 此文件未说明是哪种模型。gemtab 支持 Gemma 4 和 Gemma 3。
failure-model-architecture = 这是“{ $name }”模型。gemtab 支持 Gemma 4 和 Gemma 3。
failure-model-other-kind-encoder = 这是嵌入模型，无法聊天。
failure-model-not-encoder = 这不是嵌入模型。
failure-model-other-kind-drafter = 此文件只包含草稿模型。请与其主模型一起打开。
failure-model-drafter-included = gemtab 无法使用此模型文件中包含的草稿模型，因此回答可能较慢。
failure-model-drafter-unusable = 无法加载草稿模型，因此回答较慢。
failure-model-other-kind-projector = 此文件只包含模型的图片和音频支持。请选择模型本身。
failure-model-tensor-type = 张量 { $tensor } 使用 { $dtype }，不受支持。请选择其他量化版本，例如 Q4_K_M。
failure-model-no-token = 模型的词表中没有 { $token } 这个 token，无法用于聊天。
failure-model-no-model-file = “{ $name }”没有模型文件。
failure-model-wrong-projector = 图片和音频支持文件属于另一个模型。
failure-model-lacks-sight = 此模型不支持图片。请选择支持图片的模型，或移除图片。
failure-model-lacks-hearing = 此模型不支持音频。请选择支持音频的模型，或移除音频。
failure-model-tower-unreadable = 无法使用此模型的图片和音频支持。文本聊天仍可使用。
failure-model-foreign-template = 此模型文件中的聊天模板不是 Gemma 的模板。gemtab 不运行模板，而是使用 Gemma 的格式，因此回答可能较差。
failure-model-not-opened = 无法打开 { $name }。{ $why }

failure-media-gone = 此附件已不可用。请重新添加。
failure-media-neither = 只能使用图片和音频。
failure-media-not-sight = 这不是图片。
failure-media-not-hearing = 这不是音频文件。
failure-media-empty-file = 文件为空。
failure-media-file-too-large = 过大：{ $size }，上限为 { $most }。
failure-media-not-decoded-sight = 此浏览器无法读取该图片。请存为 PNG 或 JPEG，然后重新添加。
failure-media-not-decoded-hearing = 此浏览器无法读取该音频。请存为 WAV，然后重新添加。
failure-media-out-of-memory = 浏览器内存不足，无法处理此文件。
failure-media-not-an-image = 无法读取此图片。请使用 PNG、JPEG、WebP 或 GIF。
failure-media-empty-image = 图片为空。
failure-media-image-too-large = 图片过大：{ NUMBER($width) } × { NUMBER($height) } 像素。请缩小后重新添加。
failure-media-image-damaged = 此 { $format } 图片已损坏或不完整。请重新保存，或选择其他图片。
failure-media-image-unsupported = 不支持这种 { $format } 图片。请存为普通的 PNG 或 JPEG。
failure-media-image-too-narrow = 图片过于狭长，此模型无法处理。请裁剪，或选择较低的精细度。
failure-media-too-many-tokens = 图片需要 { NUMBER($tokens) } 个 token，上限为 { NUMBER($most) }。请选择较低的精细度。
failure-media-no-sound = 此文件中没有音频。
failure-media-sound-too-short = 录音过短。
failure-media-sound-too-long = 音频过长：{ $length }，上限为 { $most }。请分成较短的片段。
failure-media-sound-unreadable = 无法读取此音频文件。请存为 WAV，然后重新添加。

failure-adapter-not-open = 有一个适配器已关闭。请重新打开，或将其停用。
failure-adapter-not-kept = 此适配器已不在此浏览器中。请从文件打开，或重新训练。
failure-adapter-incomplete = 此适配器有两个文件：.safetensors 文件和 adapter_config.json。请同时选择两者。
failure-adapter-several-at-once = 带有 .safetensors 文件的适配器请逐个打开。
failure-adapter-needs-model = 请先加载 { $names } 对应的模型，然后重新打开适配器。
failure-adapter-not-an-adapter = 这不是 LoRA 适配器。请选择 .gguf 文件，或 .safetensors 文件及其 .json 文件。
failure-adapter-config-too-large = { $file } 过大，不像是适配器配置。
failure-adapter-damaged = 适配器文件已损坏。请重新下载。
failure-adapter-inconsistent = 适配器的权重与配置不符。请检查两者是否属于同一个适配器，或重新导出。
failure-adapter-architecture = 此适配器用于“{ $name }”。gemtab 支持 Gemma 4 和 Gemma 3。
failure-adapter-unsupported = 此适配器使用了不受支持的功能。
failure-adapter-tensor-type = 张量 { $tensor } 使用 { $dtype }，不受支持。
failure-adapter-rank = 此适配器的秩为 { NUMBER($rank) }。支持的秩为 1 到 { NUMBER($most) }。
failure-adapter-other-model = 此适配器是为另一个模型制作的。请加载该模型，然后重新打开。
failure-adapter-not-finite = 适配器包含无效数值。它可能已损坏，或训练失败。
failure-adapter-too-many = 适配器过多：最多可打开 { NUMBER($most) } 个，秩的总和不超过 { NUMBER($ranks) }。请先移除一个。
failure-adapter-not-written = 无法将适配器存为文件。请重试。

failure-storage-unavailable = 此浏览器不允许页面保存文件。无痕窗口通常如此，请使用普通窗口。
failure-storage-in-use = 此模型正在此处或另一个标签页中使用。请先卸载。
failure-storage-failed = 此浏览器的存储出现故障。请重启浏览器，然后重试。
failure-storage-no-room = 无法保存模型：需要 { $needed }，但浏览器只剩 { $available }。下次需要重新下载。
failure-storage-full = 浏览器存储空间已满，无法保存模型。下次需要重新下载。
failure-storage-corrupt = 下载的内容已损坏，因此已删除。请重新加载模型。
failure-storage-damaged = 此浏览器中的模型副本已损坏。请重新加载模型，只需下载 { $bytes }。
failure-storage-training-full = 浏览器存储空间已满，无法存放 { $bytes } 的训练进度。请释放空间，然后继续。
failure-storage-training-in-use = 另一个标签页正在使用保存的训练任务。请关闭该标签页，或在那里继续。
failure-storage-media-full = 浏览器存储空间已满，无法存放 { $bytes } 的训练图片和音频。请释放空间，或减少示例。

failure-training-setting-rank = 秩必须在 1 到 64 之间。
failure-training-setting-alpha = Alpha 必须大于 0。
failure-training-setting-targets = 请至少选择一个要训练的模型部分。
failure-training-setting-steps = 至少需要 1 步。
failure-training-setting-learning-rate = 学习率必须大于 0。
failure-training-setting-weight-decay = 权重衰减不能为负数。
failure-training-setting-clipping = 梯度裁剪不能为负数。
failure-training-setting-dropout = Dropout 必须大于等于 0 且小于 1。
failure-training-setting-max-tokens = 最大示例长度必须在 2 个 token 与模型的最大上下文之间。
failure-training-no-target = 此模型没有所选的部分。请选择其他部分。
failure-training-unsupported = 尚不支持训练此类模型。
failure-training-no-examples = 没有可学习的内容：所有示例都无法使用。
failure-training-all-masked = 没有可学习的内容：示例中没有助手的回答。请为每个示例添加回答。
failure-training-media-lost = 这些示例的图片和音频已不再保存。请重新开始训练。
failure-training-bad-example = 有一个示例不适合此模型。
failure-training-unstable = 训练在第 { NUMBER($step) } 步变得不稳定（{ $what }）。尚未保存任何内容。请尝试更低的学习率、更长的预热或梯度裁剪。
failure-training-unstable-saved = 训练在第 { NUMBER($step) } 步变得不稳定（{ $what }）。第 { NUMBER($saved) } 步之前的进度已保存。请尝试更低的学习率、更长的预热或梯度裁剪。
failure-training-what = { $what ->
    [nan-loss] 损失为 NaN
    [infinite-loss] 损失为无穷大
    *[gradient] 梯度为无穷大
    }
failure-training-bad-checkpoint = 保存的训练任务已损坏，无法继续。请将其删除，然后重新开始。
failure-training-nothing-to-resume = 没有可继续的训练任务。
failure-training-nothing-to-save = 没有可保存的训练任务。
failure-training-in-progress = 正在训练。请暂停，或等待完成。
failure-training-in-another-tab = 另一个标签页正在训练。请在那里暂停，或等待完成。
failure-training-in-another-tab-named = 另一个标签页正在训练“{ $name }”。请在那里暂停，或等待完成。
failure-training-for-model = 此训练任务用于“{ $model }”。请加载该模型以继续。
failure-training-out-of-memory = 训练需要 { $needed } 显存，但只有 { $available } 可用。请使用更短的示例、更低的秩或更少的部分，或以更短的上下文加载模型。如果此设备的内存更多，请在设置中选择大小。
failure-training-checkpoint-too-large = 检查点需要 { $needed }，上限为 { $most }。请降低秩，或减少要训练的部分。
failure-training-too-much-media = 图片和音频需要 { $needed }，上限为 { $most }。请减少示例。
failure-training-too-much-media-in-memory = 图片和音频需要 { $needed } 内存，但此浏览器无法为页面保存文件，上限为 { $most }。请减少示例。
failure-training-engine-stopped = 引擎已停止。最后一个检查点之前的进度已保存。
failure-training-failed = 训练时出错。请继续训练，或重新开始。

failure-engine-unexpected = gemtab 内部出错。
failure-engine-generating = 生成回答时出错。请重试。
failure-engine-stopped = 引擎意外停止。
failure-engine-answer-cut = 回答尚未完成，引擎就停止了。
failure-engine-not-started = 引擎未能在 { NUMBER($seconds) } 秒内启动。
failure-engine-bad-message = 页面与引擎不同步。请重新加载以更新。
failure-engine-not-numbers = 模型产生了无效数值。可能是模型文件已损坏，或显卡的计算结果有误。请在“诊断”页面运行自检来确认。
failure-engine-miscomputes = 这块显卡的打包整数运算有误（{ $kernels }），因此 gemtab 改用浮点运算。回答正确，但略慢。
failure-engine-miscomputes-unloaded = 这块显卡的计算结果有误（{ $kernels }），因此模型已卸载。请更新浏览器和显卡驱动，然后重新加载模型。

## Examples that can’t be used, behind their line

example-json-early-end = 不是有效的 JSON：该行过早结束
example-json-text-after-end = 第 { NUMBER($column) } 列不是有效的 JSON：结尾之后还有内容
example-json-no-value = 第 { NUMBER($column) } 列不是有效的 JSON：缺少值
example-json-no-comma = 第 { NUMBER($column) } 列不是有效的 JSON：缺少逗号或右括号
example-json-no-colon = 第 { NUMBER($column) } 列不是有效的 JSON：缺少冒号
example-json-key-not-quoted = 第 { NUMBER($column) } 列不是有效的 JSON：键需要加引号
example-json-trailing-comma = 第 { NUMBER($column) } 列不是有效的 JSON：右括号前有多余的逗号
example-json-control-character = 第 { NUMBER($column) } 列不是有效的 JSON：文本中包含换行符或其他控制字符
example-json-bad-escape = 第 { NUMBER($column) } 列不是有效的 JSON：有未知的转义序列
example-json-bad-number = 第 { NUMBER($column) } 列不是有效的 JSON：数字格式有误
example-json-other = 第 { NUMBER($column) } 列不是有效的 JSON：格式有误
example-unknown-shape = 没有可学习的内容：每行需要“messages”，或“prompt”和“completion”，或“ids”和“labels”
example-text-only = 只有“text”无法用于训练：请将问题放入“prompt”，将回答放入“completion”
example-half = 有“{ $found }”但没有“{ $missing }”
example-preference = “chosen”和“rejected”用于偏好训练。如需用较好的回答训练，请将其命名为“completion”，并去掉其余的回答
example-single-message = 这只是一条消息。请将一个对话的所有消息放在同一行的“messages”中
example-joined = 两个回答相连，但其中只有一个应参与训练。请在它们之间加入一条用户消息
example-replaced = 其中包含“�”，说明有字符丢失。请选择其他编码，或将文件存为 UTF-8
example-plain-text = 这看起来是纯文本。请每行使用一个 JSON 对象，或使用以列名（如“prompt,completion”）开头的表格
example-field-empty = “{ $field }”为空
example-field-not-text = “{ $field }”不是文本
example-field-not-a-list = “{ $field }”不是列表
example-field-not-integers = “{ $field }”包含整数以外的内容
example-field-no-flag = “{ $field }”必须是 0 或 1、true 或 false
example-field-unknown-rule = “{ $field }”指定了要训练的内容，但 gemtab 无法识别。请改为在回答中使用“weight”（0 或 1）
example-field-not-of-model = “{ $field }”要求训练的消息不属于助手
example-field-left-out = “{ $field }”指定不训练此行
example-field-no-file-names = “{ $field }”未指定任何文件
example-field-malformed = “{ $field }”的结构不符合预期
example-role = 未知角色“{ $role }”：请使用 system、user 或 assistant
example-empty-cell = “{ $column }”列为空
example-quotes = 引号不在单元格的开头或结尾。请用引号括住整个单元格，并将其中的引号写两遍
example-cells = 此行有 { NUMBER($cells) } 个单元格，但表格有 { NUMBER($columns) } 列。请用引号括住包含分隔符的文本
example-too-few-columns = 表格少于两列
example-no-column = 没有“{ $column }”列。现有的列：{ $columns }
example-video = 视频无法用于训练，只能使用图片和音频
example-no-file-name-sight = 有图片缺少文件名
example-no-file-name-hearing = 有音频缺少文件名
example-places = 图片和音频的占位符数量（{ NUMBER($places) }）与文件数量（{ NUMBER($named) }）不符
example-missing-file = 缺少文件“{ $name }”
example-bad-file = 文件“{ $name }”无法使用。{ $why }
example-lacks-sight = 此模型不支持图片
example-lacks-hearing = 此模型不支持音频
example-media-mismatch = 其图片和音频与占位符不符
example-no-token = 模型没有 { $token } 这个 token
example-no-id = { $id } 不是此模型的 token，模型共有 { NUMBER($vocabulary) } 个
example-labels = “ids”和“labels”长度不同：{ NUMBER($ids) } 和 { NUMBER($labels) }
example-too-long = 过长：共 { NUMBER($tokens) } 个 token，上限为 { NUMBER($limit) }
example-too-large = 过大：{ $bytes }，上限为 { $limit }
example-all-masked = 没有可学习的内容：没有可训练的回答
example-too-many = 从此处起跳过：上限为 { NUMBER($limit) } 行

## Kernels that compute wrongly, behind their name

kernel-differs = 元素 { NUMBER($element) } 为 { $found }，应为 { $expected }
kernel-refused = 被浏览器拒绝

## The page's own server

server-no-browser = 这里没有浏览器。
server-silent = 服务器没有响应。
server-status = 服务器返回状态码 { $status }。
server-unreadable = 无法读取服务器的响应：{ $reason }。
store-closed = 浏览器存储尚未就绪。请重试。

## Conversations that can’t be read, saved, changed or imported

store-full = 此浏览器的存储空间已满。请删除保存的模型或旧对话。
store-full-conversations = 此浏览器的存储空间已满。请删除旧对话。
store-unavailable = 此浏览器不允许页面保存任何内容。无痕窗口通常如此，请使用普通窗口。
store-blocked = 另一个标签页打开了此页面的旧版本。请将其关闭，然后重新加载。
store-broken = 此浏览器中保存的部分内容已损坏，无法读取。
store-newer = 此浏览器中保存的部分内容来自更新版本的 gemtab。请重新加载以更新。
import-end = 文件不完整：在第 { NUMBER($line) } 行中断。
import-syntax = 文件不是有效的 JSON：第 { NUMBER($line) } 行第 { NUMBER($column) } 列有错误。
import-data = 文件不是由 gemtab 导出的：第 { NUMBER($line) } 行第 { NUMBER($column) } 列的内容不符合预期。
import-format = 文件不是由 gemtab、ChatGPT、Claude、Open WebUI 或 LM Studio 导出的。
import-zip = 这是 ZIP 文件。请解压后导入其中的 conversations.json。
import-version = 文件来自更新版本的 gemtab。请重新加载以更新，然后重新导入。
import-conversation = 此文件中的对话“{ $title }”已损坏。
import-message = 对话“{ $title }”中有一条消息的大小为 { $size }，上限为 { $most }。
import-attachment = 此文件中有一个附件已损坏。
tree-gone = 该消息已不存在。
tree-other = 无法对此消息执行该操作。
tree-full = 此对话已满。请开始新对话。

## Models of the server that can’t be used

# Begins a sentence.
catalog-part = { $part ->
    [manifest] 模型的清单
    [model] 模型文件
    [projector] 图片和音频文件
    [adapter] 适配器文件
    [drafter] 草稿模型文件
    *[file] 文件
    }
catalog-pull = 请运行：ollama pull { $model }
catalog-manifest = 模型的清单已损坏。
catalog-unreadable-gone = { $part }缺失。
catalog-unreadable-forbidden = { $part }无法读取：服务器没有权限。
catalog-unreadable-other = { $part }无法读取。
catalog-too-large = { $part }过大：{ $size }。
catalog-remote = 此模型在 Ollama 的服务器上运行，没有可在此加载的内容。
catalog-safetensors = 此模型为 safetensors 格式。gemtab 只能读取 GGUF。
catalog-no-model = 模型的清单中没有模型文件。
catalog-split = 此模型分为 { NUMBER($parts) } 个文件。gemtab 只能读取单文件模型。
catalog-adapter = 这是 LoRA 适配器。请先加载对应的模型，然后在对话中打开它。
catalog-too-many-prompts = 模型列表中已没有空间容纳此模型的系统提示词。请从 Ollama 中移除其他模型，然后重新加载。
catalog-missing = { $part }缺失。
catalog-unfinished = 下载尚未完成。
catalog-wrong-size = { $part }大小为 { $found }，应为 { $expected }。
catalog-escape = 此链接指向其文件夹之外。如需使用，请用 --models 指定目标文件夹来启动 gemtab。
catalog-truncated = 文件不完整。请重新下载。
catalog-folder-missing = （未找到）
catalog-folder-unreadable = （无法读取）
catalog-full-folder = { $folder } 中的模型过多，列表放不下。只显示前 { NUMBER($shown) } 个。
catalog-full-list = 列表过长：{ $count ->
    *[other] 另有 { $count } 个模型未显示。
    }

## Why the server doesn’t download a model

pull-name = 这不像是模型名称。请试试 gemma4:e2b 或 hf.co/OWNER/REPOSITORY:Q4_K_M。
pull-host = “{ $host }”不是主机名。请检查拼写。
pull-no-owner = { $host } 上的模型名称格式为 { $host }/OWNER/REPOSITORY:Q4_K_M。
pull-plain-http = 服务器只通过加密连接下载。请去掉“http://”。
pull-not-offered = 服务器不为来自其他电脑的访问者下载模型。如需允许，请用 --allow-pull 启动服务器。
pull-registry = 服务器不从 { $host } 下载。如需允许，请用 --pull-from { $host } 启动服务器。
pull-busy = 正在下载 { $model }。请等待完成，或停止下载。
pull-late = 请求到达服务器过慢。请检查网络连接，然后重试。
pull-tls = 服务器无法使用 HTTPS。请在服务器上安装证书：在 Debian 和 Ubuntu 上为 ca-certificates 软件包。
pull-network = 无法连接 { $host }。请检查服务器的网络连接。
pull-certificate = { $host } 无法证明其身份。如果网络中的代理会解密连接，请在服务器上安装该代理的证书。
pull-no-such-model = { $host } 上没有名为 { $model } 的模型。请检查拼写。
pull-private = { $model } 在 { $host } 上需要登录账号才能获取，或者不存在。只能下载公开的模型。
pull-status = { $host } 出现问题（状态码 { $status }）。请稍后重试。
pull-redirect = { $host } 跳转到了不安全的地址，因此未下载任何内容。
pull-manifest = gemtab 无法使用 { $host } 对此模型的描述。
pull-pieces = 此模型分为 { NUMBER($files) } 个文件。gemtab 需要 GGUF 文件。
pull-quantization = 此模型没有 { $wanted }。现有：{ $there }
pull-wrong-length = { $host } 发送的文件大小不正确。请稍后重试。
pull-wrong-digest = 来自 { $host } 的文件已损坏，因此已删除。请重试。如果再次发生，说明文件在传输途中被更改。
pull-no-room = 服务器空间不足：需要 { $needed }，{ $folder } 中可用 { $free }。
pull-full = 服务器磁盘已满：还需要 { $needed }，{ $folder } 中可用 { $free }。未完成的文件已删除。
pull-disk = 服务器无法读写 { $path }。请检查权限。
pull-locked = 另一个程序正在向此文件夹下载同一文件。请等待完成，或停止该程序。
pull-begun-by-ollama = Ollama 已开始下载此模型。请用“ollama pull”完成下载。
pull-vanished = 已下载的文件不见了：Ollama 启动时会删除没有模型使用的文件。请重试。
pull-part = { $file } 与模型的其他部分不匹配。

## Documents

document-show = 查看 { $name }
document-text = 文本
document-reading = 正在读取文档
document-previous = 上一部分
document-next = 下一部分
document-page = 第 { NUMBER($number) } 页
document-chapter = 第 { NUMBER($number) } 章
document-line = 第 { NUMBER($number) } 行
document-lines = 第 { NUMBER($first) } 至 { NUMBER($last) } 行
document-row = 第 { NUMBER($number) } 行
document-rows = 第 { NUMBER($first) } 至 { NUMBER($last) } 行
document-paragraph = 第 { NUMBER($number) } 段
document-paragraphs = 第 { NUMBER($first) } 至 { NUMBER($last) } 段
document-page-count = { $count ->
    *[other] { $count } 页
    }
document-chapter-count = { $count ->
    *[other] { $count } 章
    }
document-line-count = { $count ->
    *[other] { $count } 行
    }
document-row-count = { $count ->
    *[other] { $count } 行
    }
document-paragraph-count = { $count ->
    *[other] { $count } 段
    }
about-tokens = { $size } · { $tokens ->
    *[other] 约 { $tokens } 个 token
    }
cited-page = 第 { NUMBER($number) } 页
cited-chapter = 第 { NUMBER($number) } 章
cited-line = 第 { NUMBER($number) } 行
cited-row = 第 { NUMBER($number) } 行
cited-paragraph = 第 { NUMBER($number) } 段
citation-open = 打开 { $name }，{ $place }
given-pages = 已将 { $name } 的 { NUMBER($given) } / { NUMBER($of) } 页提供给模型。
given-chapters = 已将 { $name } 的 { NUMBER($given) } / { NUMBER($of) } 章提供给模型。
given-passages = 已将 { $name } 的 { NUMBER($given) } / { NUMBER($of) } 个片段提供给模型。
documents-choosing = 正在选取与问题相关的内容
attach-reading-share = 正在读取 { $name }，{ NUMBER($percent) }%
pasted-file = 粘贴的文本.txt
pasted-long = 长文本已作为文档添加。
paste-as-text = 粘贴为文本
document-some-scanned = { $pages ->
    *[other] 有 { $pages } 页是图片，无法读取其中的文字。
    }
document-scanned = 此 PDF 没有文本，只有页面图片。请先进行文字识别，或添加页面图片。
document-blank = 此文件中没有文本。请选择其他文件。
document-too-large = 过大：{ $size }，上限为 { $limit }。请拆分后添加所需的部分。
document-expands = 读取此文件需要过多内存。请将所需的部分另存为单独的文件，然后添加。
document-too-many-pages = 过长：共 { NUMBER($pages) } 页，上限为 { NUMBER($limit) }。请拆分后添加所需的部分。
document-encrypted = 此文件需要密码。请另存一份不带密码的副本，然后添加。
document-unsupported = 只能添加图片、音频、视频、文本、PDF、Word 和 EPUB 文件。请存为其中一种格式，然后添加。
document-damaged = 此文件已损坏。请用创建它的程序重新保存，然后添加。
document-missing = 无法加载文档阅读器。请检查网络连接，然后重试。
document-crashed = 无法读取此文件。请重新保存或存为纯文本，然后添加。
document-too-long = 读取时间过长，已停止。请将所需的部分另存为单独的文件，然后添加。

## Presets and prompts

presets-title = 预设
presets-hint = 选择预设后，其指令和设置会替换此对话的指令和设置。之后更改预设不会影响此对话。文件夹的指令始终排在最前。
preset-word = 预设
preset-new = 新建预设
preset-of-this = 从此对话新建
preset-leave = 不使用预设
preset-choose = 选择预设
preset-of = 预设：{ $name }
preset-taken = 正在使用预设“{ $name }”。
preset-left = 未使用预设。
preset-icon = 图标
preset-model = 模型
preset-adapter = 适配器
preset-unchanged = 不更改
preset-sampling = 单独设置采样
preset-sampling-hint = 否则使用模型的默认值。
preset-no-model = { $name } 不在模型列表中，因此模型保持不变。
preset-no-adapter = 适配器“{ $name }”不可用于此模型，因此适配器保持不变。
icon-chat = 对话气泡
icon-pencil = 铅笔
icon-code = 代码
icon-document = 文档
icon-bulb = 灯泡
icon-magnifier = 放大镜
icon-picture = 图片
icon-chart = 图表
prompts-title = 提示词
prompts-hint = 在空消息中输入 / 即可插入提示词。
prompts-manage = 所有提示词…
prompts-found = { $count ->
    *[other] { $count } 个提示词。
    }
prompt-word = 提示词
prompt-new = 新建提示词
prompt-text = 文本
prompt-hint = { $variable } 表示需要填写的内容。
prompt-fill = 填写提示词
prompt-insert = 插入
named-edit = 编辑
named-deleted = 已删除“{ $name }”。
named-export-all = 导出预设和提示词
named-file = gemtab-presets.json
named-imported = 已导入预设：{ NUMBER($presets) }，提示词：{ NUMBER($prompts) }。已存在：{ NUMBER($known) }。
presets-format = 文件中没有 gemtab 的预设或提示词。
presets-too-many = 文件中有 { NUMBER($count) } 个预设和提示词，超出导入上限 { NUMBER($most) } 个。
presets-text = “{ $name }”的文本大小为 { $size }，上限为 { $most }。
presets-sampling = 预设“{ $name }”中有一项采样设置超出范围。
chip-temperature = 温度 { $number }
chip-context = 上下文 { NUMBER($tokens) }
chip-longest = 最多 { NUMBER($tokens) } 个 token
