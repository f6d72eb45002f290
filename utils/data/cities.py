"""Cities of the world for the lookup of page 1: where they are, and what they are called.

A line has degrees east, degrees north, the English name, and other names, in the city's own language
first. All of a city's names differ in their letters, accents aside, and most of them so much that
its pairs of letters would not lead there without them. A few names belong to two cities, as they do
in the world.
"""

TABLE = """
# Britain, Ireland and the North
-0.1 51.5 London / Londres / Londra / Londyn / Лондон / 伦敦 / ロンドン / لندن / 런던
-1.9 52.5 Birmingham
-2.2 53.5 Manchester
-3.2 51.5 Cardiff / Caerdydd
-3.2 56.0 Edinburgh / Dùn Èideann
-4.3 55.9 Glasgow / Glaschu
-5.9 54.6 Belfast / Béal Feirste
-6.3 53.3 Dublin / Baile Átha Cliath / Dublino / Дублин
-21.9 64.1 Reykjavík
10.8 59.9 Oslo / Осло / 奥斯陆
5.3 60.4 Bergen
19.0 69.6 Tromsø / Romsa
18.1 59.3 Stockholm / Стокгольм / 斯德哥尔摩
12.0 57.7 Gothenburg / Göteborg
12.6 55.7 Copenhagen / København / Копенгаген
24.9 60.2 Helsinki / Helsingfors / Хельсинки
25.7 66.5 Rovaniemi
24.8 59.4 Tallinn / Таллин
24.1 56.9 Riga / Рига
25.3 54.7 Vilnius / Wilno / Вильнюс
# The middle of Europe
13.4 52.5 Berlin / Berlino / Берлин / 柏林 / ベルリン / برلين
10.0 53.6 Hamburg / Hambourg / Amburgo / Гамбург
11.6 48.1 Munich / München / Monaco di Baviera / Monachium / Мюнхен
7.0 50.9 Cologne / Köln / Colonia
8.7 50.1 Frankfurt / Francfort / Франкфурт
12.4 51.3 Leipzig / Lipsk
13.7 51.1 Dresden / Dresde
4.9 52.4 Amsterdam / Амстердам
4.3 52.1 The Hague / Den Haag / La Haye
4.4 50.8 Brussels / Bruxelles / Brussel / Брюссель
4.4 51.2 Antwerp / Antwerpen / Anvers
6.1 49.6 Luxembourg / Lëtzebuerg
8.5 47.4 Zurich / Zurigo / Цюрих
6.1 46.2 Geneva / Genève / Genf / Ginevra / Женева
7.4 46.9 Bern / Berne
16.4 48.2 Vienna / Wien / Vienne / Viena / Wiedeń / Вена / ウィーン
13.0 47.8 Salzburg / Salisburgo
14.4 50.1 Prague / Praha / Prag / Praga / Прага
17.1 48.1 Bratislava / Pressburg / Pozsony
19.0 47.5 Budapest / Budapeszt / Будапешт
21.0 52.2 Warsaw / Warszawa / Varsovie / Varsavia / Varsovia / Warschau / Варшава
19.9 50.1 Krakow / Cracow / Krakau / Cracovie / Краков
18.6 54.4 Gdansk / Danzig
17.0 51.1 Wrocław / Breslau
19.5 51.8 Łódź / Lodz
# France, Spain, Portugal, Italy
2.4 48.9 Paris / Parigi / Paryż / Париж / 巴黎 / パリ / باريس / 파리
5.4 43.3 Marseille / Marsiglia / Марсель
4.8 45.8 Lyon / Lione
1.4 43.6 Toulouse / Tolosa
7.3 43.7 Nice / Nizza
7.8 48.6 Strasbourg / Straßburg / Strasburgo
-3.7 40.4 Madrid / Madryt / Мадрид / 马德里 / مدريد
2.2 41.4 Barcelona / Barcelone / Барселона
-0.4 39.5 Valencia
-6.0 37.4 Seville / Sevilla / Siviglia / Севилья
-2.9 43.3 Bilbao / Bilbo
-4.4 36.7 Málaga
-4.8 37.9 Córdoba
-8.5 42.9 Santiago de Compostela
-15.4 28.1 Las Palmas
-9.1 38.7 Lisbon / Lisboa / Lisbonne / Lissabon / Lisbona / Lizbona / Лиссабон / リスボン
-8.6 41.1 Porto / Oporto
12.5 41.9 Rome / Roma / Rom / Rzym / Рим / 罗马 / ローマ / روما
9.2 45.5 Milan / Milano / Mailand / Mediolan / Милан
14.3 40.8 Naples / Napoli / Neapel / Неаполь
7.7 45.1 Turin / Torino
11.3 43.8 Florence / Firenze / Florenz
12.3 45.4 Venice / Venezia / Venedig / Venise / Wenecja / Венеция
8.9 44.4 Genoa / Genova / Genua / Gênes
13.4 38.1 Palermo
14.5 35.9 Valletta
# The Balkans and the East of Europe
14.5 46.1 Ljubljana / Laibach / Lubiana
16.0 45.8 Zagreb / Zagabria
18.4 43.9 Sarajevo / Сарајево
20.5 44.8 Belgrade / Београд / Beograd
19.3 42.4 Podgorica / Подгорица
21.4 42.0 Skopje / Скопје
19.8 41.3 Tirana
23.3 42.7 Sofia / София
27.9 43.2 Varna / Варна
26.1 44.4 Bucharest / București / Bukarest / Бухарест
28.8 47.0 Chișinău / Кишинёв
23.7 38.0 Athens / Αθήνα / Athen / Athènes / Atene / Atenas / Ateny / Афины
22.9 40.6 Thessaloniki / Θεσσαλονίκη
25.1 35.3 Heraklion / Ηράκλειο
33.4 35.2 Nicosia / Λευκωσία / Lefkoşa
30.5 50.4 Kyiv / Київ / Kiev / Киев
24.0 49.8 Lviv / Львів / Lwów / Lemberg
30.7 46.5 Odesa / Одеса / Odessa
36.2 50.0 Kharkiv / Харків / Харьков
27.6 53.9 Minsk / Мінск / Минск
# Russia
37.6 55.8 Moscow / Москва / Moskau / Mosca / Moskwa / 莫斯科 / モスクワ / موسكو
30.3 59.9 Saint Petersburg / Санкт-Петербург / Petersburg / Leningrad
49.1 55.8 Kazan / Казань
39.7 43.6 Sochi / Сочи
20.5 54.7 Kaliningrad / Калининград / Königsberg
33.1 69.0 Murmansk / Мурманск
40.5 64.5 Arkhangelsk / Архангельск
60.6 56.8 Yekaterinburg / Екатеринбург
73.4 55.0 Omsk / Омск
82.9 55.0 Novosibirsk / Новосибирск
88.2 69.3 Norilsk / Норильск
92.9 56.0 Krasnoyarsk / Красноярск
104.3 52.3 Irkutsk / Иркутск
129.7 62.0 Yakutsk / Якутск / Дьокуускай
131.9 43.1 Vladivostok / Владивосток
150.8 59.6 Magadan / Магадан
158.6 53.0 Petropavlovsk / Петропавловск
# Turkey, the Caucasus and Central Asia
29.0 41.0 Istanbul / Стамбул / Κωνσταντινούπολη / Constantinople / إسطنبول
32.9 39.9 Ankara / Анкара
27.1 38.4 Izmir / Smyrna / Σμύρνη
30.7 36.9 Antalya
40.2 37.9 Diyarbakir / Diyarbakır / Amed
44.8 41.7 Tbilisi / თბილისი / Тбилиси / Tiflis
44.5 40.2 Yerevan / Երևան / Ереван
49.9 40.4 Baku / Bakı / Баку
71.4 51.2 Astana / Астана
76.9 43.2 Almaty / Алматы
69.2 41.3 Tashkent / Toshkent / Ташкент
67.0 39.7 Samarkand / Samarqand / Самарканд
74.6 42.9 Bishkek / Бишкек
68.8 38.6 Dushanbe / Душанбе
58.4 38.0 Ashgabat / Aşgabat / Ашхабад
106.9 47.9 Ulaanbaatar / Улаанбаатар
# The Near East
36.3 33.5 Damascus / دمشق / Damas
37.2 36.2 Aleppo / حلب / Halep
35.5 33.9 Beirut / بيروت / Beyrouth
35.8 34.4 Tripoli / طرابلس
35.2 31.8 Jerusalem / ירושלים / القدس / Иерусалим
34.8 32.1 Tel Aviv / תל אביב
34.5 31.5 Gaza / غزة
35.9 32.0 Amman / عمان
44.4 33.3 Baghdad / بغداد / Багдад
44.0 36.2 Erbil / أربيل / Hewlêr
51.4 35.7 Tehran / تهران / Тегеран
51.7 32.7 Isfahan / اصفهان
52.5 29.6 Shiraz / شیراز
59.6 36.3 Mashhad / مشهد
48.0 29.4 Kuwait City / الكويت
51.5 25.3 Doha / الدوحة
55.3 25.2 Dubai / دبي / Дубай
54.4 24.5 Abu Dhabi / أبو ظبي
58.4 23.6 Muscat / مسقط
46.7 24.7 Riyadh / الرياض / Riad
39.2 21.5 Jeddah / جدة
39.8 21.4 Mecca / مكة / Mekka / La Mecque
44.2 15.4 Sanaa / صنعاء
69.2 34.5 Kabul / کابل / Кабул
# South Asia
67.0 24.9 Karachi / کراچی
74.3 31.5 Lahore / لاہور
73.0 33.7 Islamabad / اسلام آباد
68.4 25.4 Hyderabad / حیدرآباد
77.2 28.6 Delhi / दिल्ली / Дели / 德里 / デリー
72.9 19.1 Mumbai / मुंबई / Bombay / Мумбаи
88.4 22.6 Kolkata / কলকাতা / Calcutta
80.3 13.1 Chennai / சென்னை / Madras
77.6 13.0 Bengaluru / ಬೆಂಗಳೂರು / Bangalore
78.5 17.4 Hyderabad / హైదరాబాద్
72.6 23.0 Ahmedabad / અમદાવાદ
73.9 18.5 Pune / पुणे
75.8 26.9 Jaipur / जयपुर
83.0 25.3 Varanasi / वाराणसी / Benares
76.3 9.9 Kochi / കൊച്ചി / Cochin
74.9 31.6 Amritsar / ਅੰਮ੍ਰਿਤਸਰ
91.7 26.1 Guwahati / গুৱাহাটী
85.3 27.7 Kathmandu / काठमाडौं
89.6 27.5 Thimphu / ཐིམ་ཕུ
90.4 23.8 Dhaka / ঢাকা
79.9 6.9 Colombo / කොළඹ / கொழும்பு
73.5 4.2 Malé / މާލެ
# Southeast Asia
96.2 16.8 Yangon / ရန်ကုန် / Rangoon
96.1 22.0 Mandalay / မန္တလေး
100.5 13.8 Bangkok / กรุงเทพ / Krung Thep / 曼谷 / バンコク
99.0 18.8 Chiang Mai / เชียงใหม่
102.6 18.0 Vientiane / ວຽງຈັນ
104.9 11.6 Phnom Penh / ភ្នំពេញ
105.8 21.0 Hanoi / Hà Nội / 河内
106.7 10.8 Ho Chi Minh City / Thành phố Hồ Chí Minh / Saigon / Sài Gòn
108.2 16.1 Da Nang / Đà Nẵng
101.7 3.1 Kuala Lumpur / 吉隆坡
100.3 5.4 Penang / George Town
103.8 1.3 Singapore / 新加坡 / Singapura / சிங்கப்பூர் / Сингапур / シンガポール
106.8 -6.2 Jakarta / 雅加达 / Джакарта
112.7 -7.3 Surabaya
110.4 -7.8 Yogyakarta
98.7 3.6 Medan
115.2 -8.7 Denpasar
121.0 14.6 Manila / Maynila / 马尼拉
114.9 4.9 Bandar Seri Begawan
125.6 -8.6 Dili
# East Asia
116.4 39.9 Beijing / 北京 / Peking / Pékin / Pechino / Пекин
121.5 31.2 Shanghai / 上海 / Шанхай
113.3 23.1 Guangzhou / 广州 / Canton
114.1 22.5 Shenzhen / 深圳
114.2 22.3 Hong Kong / 香港 / Гонконг
104.1 30.7 Chengdu / 成都
106.6 29.6 Chongqing / 重庆
114.3 30.6 Wuhan / 武汉
118.8 32.1 Nanjing / 南京 / Nanking
120.2 30.3 Hangzhou / 杭州
108.9 34.3 Xi’an / 西安
126.6 45.8 Harbin / 哈尔滨 / Харбин
102.7 25.0 Kunming / 昆明
87.6 43.8 Urumqi / 乌鲁木齐 / ئۈرۈمچى
91.1 29.7 Lhasa / 拉萨 / ལྷ་ས
121.5 25.0 Taipei / 臺北 / 台北
120.3 22.6 Kaohsiung / 高雄
127.0 37.6 Seoul / 서울 / 首尔 / ソウル / Сеул
129.1 35.2 Busan / 부산
125.8 39.0 Pyongyang / 평양
139.7 35.7 Tokyo / 東京 / とうきょう / Tokio / Токио / 东京 / 도쿄 / طوكيو
135.5 34.7 Osaka / 大阪 / おおさか
135.8 35.0 Kyoto / 京都 / きょうと / Kioto
136.9 35.2 Nagoya / 名古屋
141.4 43.1 Sapporo / 札幌
130.4 33.6 Fukuoka / 福岡
132.5 34.4 Hiroshima / 広島 / Хиросима
129.9 32.8 Nagasaki / 長崎
140.9 38.3 Sendai / 仙台
133.5 33.6 Kochi / 高知
127.7 26.2 Naha / 那覇
# The North of Africa
31.2 30.0 Cairo / القاهرة / Le Caire / Kairo / Каир / カイロ
29.9 31.2 Alexandria / الإسكندرية
32.6 25.7 Luxor / الأقصر
13.2 32.9 Tripoli / طرابلس
20.1 32.1 Benghazi / بنغازي
10.2 36.8 Tunis / تونس
3.1 36.8 Algiers / الجزائر / Alger / Argel
-7.6 33.6 Casablanca / الدار البيضاء
-6.8 34.0 Rabat / الرباط
-8.0 31.6 Marrakesh / مراكش
-5.0 34.0 Fez / فاس / Fès
-16.0 18.1 Nouakchott / نواكشوط
32.5 15.6 Khartoum / الخرطوم
38.9 15.3 Asmara / ኣስመራ
38.7 9.0 Addis Ababa / አዲስ አበባ
43.1 11.6 Djibouti / جيبوتي
45.3 2.0 Mogadishu / Muqdisho
15.1 12.1 N’Djamena / انجمينا
# Africa south of the Sahara
-23.5 14.9 Praia
-17.4 14.7 Dakar
-8.0 12.6 Bamako
-3.0 16.8 Timbuktu / Tombouctou
2.1 13.5 Niamey
-1.5 12.4 Ouagadougou
-15.6 11.9 Bissau
-13.7 9.6 Conakry
-13.2 8.5 Freetown
-10.8 6.3 Monrovia
-4.0 5.3 Abidjan
-0.2 5.6 Accra
1.2 6.2 Lomé
3.4 6.5 Lagos / Èkó
7.5 9.1 Abuja
8.5 12.0 Kano
9.7 4.1 Douala
11.5 3.9 Yaoundé
9.5 0.4 Libreville
15.3 -4.3 Kinshasa
25.2 0.5 Kisangani
27.5 -11.7 Lubumbashi
18.6 4.4 Bangui
31.6 4.9 Juba
36.8 -1.3 Nairobi / Найроби
39.7 -4.1 Mombasa
32.6 0.3 Kampala
30.1 -1.9 Kigali
39.3 -6.8 Dar es Salaam
39.2 -6.2 Zanzibar
13.2 -8.8 Luanda
28.3 -15.4 Lusaka
31.1 -17.8 Harare
33.8 -14.0 Lilongwe
32.6 -25.9 Maputo
25.9 -24.7 Gaborone
17.1 -22.6 Windhoek
28.0 -26.2 Johannesburg / eGoli
28.2 -25.7 Pretoria / Tshwane
18.4 -33.9 Cape Town / Kaapstad / iKapa / Kapstadt / Le Cap
31.0 -29.9 Durban / eThekwini
47.5 -18.9 Antananarivo
57.5 -20.2 Port Louis
55.5 -4.6 Victoria
# The United States
-74.0 40.7 New York / Nueva York / Нью-Йорк / 纽约 / ニューヨーク / نيويورك / 뉴욕
-71.1 42.4 Boston / Бостон / 波士顿
-75.2 40.0 Philadelphia
-77.0 38.9 Washington / Вашингтон / 华盛顿 / ワシントン
-83.0 42.3 Detroit
-87.6 41.9 Chicago / Чикаго / 芝加哥 / シカゴ
-93.3 45.0 Minneapolis
-90.2 38.6 Saint Louis
-90.0 35.1 Memphis
-84.4 33.7 Atlanta
-86.8 33.5 Birmingham
-80.2 25.8 Miami / Майами / 迈阿密
-90.1 30.0 New Orleans / La Nouvelle-Orléans
-95.4 29.8 Houston / 休斯敦
-96.8 32.8 Dallas
-98.5 29.4 San Antonio
-106.7 35.1 Albuquerque
-105.0 39.7 Denver
-108.5 45.8 Billings
-111.9 40.8 Salt Lake City
-112.1 33.4 Phoenix
-115.1 36.2 Las Vegas
-118.2 34.1 Los Angeles / Лос-Анджелес / 洛杉矶 / ロサンゼルス
-122.4 37.8 San Francisco / Сан-Франциско / 旧金山 / サンフランシスコ
-121.9 37.3 San José
-122.7 45.5 Portland
-122.3 47.6 Seattle / 西雅图
-149.9 61.2 Anchorage
-147.7 64.8 Fairbanks
-157.9 21.3 Honolulu / ホノルル
# Canada and Greenland
-79.4 43.7 Toronto / Торонто / 多伦多
-73.6 45.5 Montréal / 蒙特利尔
-71.2 46.8 Québec
-75.7 45.4 Ottawa
-63.6 44.6 Halifax
-52.7 47.6 Saint John’s
-97.1 49.9 Winnipeg
-104.6 50.4 Regina
-114.1 51.0 Calgary
-113.5 53.5 Edmonton
-123.1 49.3 Vancouver / 温哥华
-135.1 60.7 Whitehorse
-114.4 62.5 Yellowknife
-68.5 63.7 Iqaluit / ᐃᖃᓗᐃᑦ
-51.7 64.2 Nuuk / Godthåb
# Mexico, Central America and the Caribbean
-99.1 19.4 Mexico City / Ciudad de México / Mexiko / Мехико / 墨西哥城
-103.3 20.7 Guadalajara
-100.3 25.7 Monterrey
-117.0 32.5 Tijuana
-89.6 21.0 Mérida
-96.7 17.1 Oaxaca
-90.5 14.6 Guatemala City / Ciudad de Guatemala
-89.2 13.7 San Salvador
-87.2 14.1 Tegucigalpa
-86.3 12.1 Managua
-84.1 9.9 San José
-79.5 9.0 Panama City / Ciudad de Panamá
-82.4 23.1 Havana / La Habana / La Havane / Гавана
-75.8 20.0 Santiago de Cuba
-76.8 18.0 Kingston
-72.3 18.5 Port-au-Prince / Pòtoprens
-69.9 18.5 Santo Domingo
-66.1 18.4 San Juan
-77.3 25.1 Nassau
-59.6 13.1 Bridgetown
# South America
-66.9 10.5 Caracas
-71.6 10.7 Maracaibo
-68.0 10.2 Valencia
-74.1 4.7 Bogotá / Богота
-75.6 6.2 Medellín
-76.5 3.4 Cali
-75.5 10.4 Cartagena
-78.5 -0.2 Quito
-79.9 -2.2 Guayaquil
-77.0 -12.0 Lima / 利马
-72.0 -13.5 Cusco / Qusqu
-73.2 -3.7 Iquitos
-68.1 -16.5 La Paz / Chuqiyapu
-63.2 -17.8 Santa Cruz
-57.6 -25.3 Asunción
-70.7 -33.4 Santiago / Сантьяго / 圣地亚哥
-71.6 -33.0 Valparaíso
-70.4 -23.6 Antofagasta
-70.9 -53.2 Punta Arenas
-58.4 -34.6 Buenos Aires / Буэнос-Айрес / 布宜诺斯艾利斯 / ブエノスアイレス
-64.2 -31.4 Córdoba
-60.7 -32.9 Rosario
-65.4 -24.8 Salta
-71.3 -41.1 Bariloche
-68.3 -54.8 Ushuaia
-56.2 -34.9 Montevideo
-47.9 -15.8 Brasília / Бразилиа
-46.6 -23.6 São Paulo / 圣保罗 / サンパウロ
-43.2 -22.9 Rio de Janeiro / Рио-де-Жанейро / 里约热内卢
-43.9 -19.9 Belo Horizonte
-38.5 -13.0 Salvador
-34.9 -8.1 Recife
-38.5 -3.7 Fortaleza
-48.5 -1.5 Belém
-60.0 -3.1 Manaus
-56.1 -15.6 Cuiabá
-51.2 -30.0 Porto Alegre
-58.2 6.8 Georgetown
-55.2 5.9 Paramaribo
-52.3 4.9 Cayenne
# Australia, New Zealand and the Pacific
151.2 -33.9 Sydney / Сидней / 悉尼 / シドニー
145.0 -37.8 Melbourne / 墨尔本
153.0 -27.5 Brisbane
115.9 -32.0 Perth
138.6 -34.9 Adelaide
149.1 -35.3 Canberra
147.3 -42.9 Hobart
130.8 -12.5 Darwin
145.8 -16.9 Cairns
133.9 -23.7 Alice Springs / Mparntwe
174.8 -36.8 Auckland / Tāmaki Makaurau
174.8 -41.3 Wellington / Te Whanganui-a-Tara
172.6 -43.5 Christchurch / Ōtautahi
170.5 -45.9 Dunedin / Ōtepoti
147.2 -9.4 Port Moresby
160.0 -9.4 Honiara
166.4 -22.3 Nouméa
178.4 -18.1 Suva
-149.6 -17.5 Papeete
"""

# The land, drawn by hand: the path of an SVG in fifths of a degree, east and north.
LAND = (
    "M-28 180l-7 6-9-1-3 9 4 11-3 11 6 2 31-1 3 7 0 6-6 6-11 3-1 3 9 2 7-1-1 5 3-1 7 1 7 4 0 3 9 2 7 "
    "8 17 3 3 2-4 13 13 5-1-4 2-2-6-5 2-3 4-3 1-1 13 3 3-3 21 4 2-3 5 2 7 3-1 9 3 3 5 0 3-3 5 1 1 5"
    "-4 3 0 2 7 2 15 0 11 2-9 3-28-3-7 4-1 10 10 6 10 5-4 4-11-1-13-10-11-7-1-7 8-4-5-6-6-2-1-9-3-3-7"
    "-2-8 0-8 16-3 3-13-7-7 0-5 4-3 14 6 5 13 5 51 32 34 5 13 0 64-21-5-3-36 2 17-13 8 0 11 3-1 5 11 "
    "4 9-2-2 12 12-2 4-5 69 13 39-7-7 13 9 10 20 0-1-10 6-11-10-11 11 4 5 9-4 10 4 9 20-2 10 6 30 7 "
    "55 6 32 7 43-9-3-9-27-4 83 2 30-13 52 8 100-15 50-3 5 5 45-6 25-9 25-5-18-8-22 6-18-5 4-11-26-4"
    "-18-8-34 0-8-9 6-10-33-26-5 17 2 13 39 27-19-7-16 3-12-10-57-2-25-21-12-1 28-9-4-24-23-21-14-6"
    "-6 2-21-17 9-13-1-9-14-4 2 15-10 2 2 8-6 1-14-5 4 8-5 2-17-9 6-8 10 2 8-3-16-12 13-15 1-5-6-2 6"
    "-3-2-8-24-25-29-8-3-6-3 6-7 0-9-6-5-8 17-18 2-13-3-7-20-13 0 7-7 3-15 15-2-4-4-14 7-14 8-5 6-9 4"
    "-15-4-1-11 8-4 14-11 13 1 24-4 17-12-3-5 2 0 11-12 20-6 1-19-7-2-6-31-22-1-20-12-18-20 40-4 26"
    "-10-2-9 7 5 3-16 11-48 3-2 8-10-4-11 6-13 12-10-1 14-25 2 6 2-8 12-1 11 9 1-8 17-10-10-10-1-7-12"
    "-8-31-16-27-8-6 21-16 21-1 6-21 36-3-8-8 9-1 8 9 1 9 19 0 8-7 0-5-4-7 0-7 4-8-3-10 5-4 5 2 5-3 2"
    "-1 6-8 0-2-3-6 2 0-5 5-7 1-3-4-1 0-4-8 1-2 6-9 11 1 7-6 4-12 6-6 6-4 0-2 4-6-2 0-5 6-3 3-6 9-3 "
    "12-8 0-2-7 3-2-4 3-3-6-5-1 8-5 5-14 6-8 5-1 5-7 3-6-3-12-3-6 2-4-4 0-3-12-7-5-7 2-3-4-6-7-4-12 0"
    "zM145 206l11 0 10 4 10 0 15-5 17 3-1 6-18 10 1 7 6 5-20-5 6-4-5-2-8-3-6 4 5 4-9 2-5 0-15-16-1-4 "
    "2-4zM249 202l-5-11 16-8 10 1-8 30-6 2-4 6 4 4 9 0 0 8-17-2-14-10zM163 149l23-44 0-11 7-4 5-14 14"
    "-10 9-14 35 8-2-12-16-27-37-34-5-11 6-28 2-23-30-24 3-21-13-9-1-11-23-24-12-6-28-4-8 3-1 11-16 "
    "30-3 17-13 23 3 22 6 13-9 33-14 16 3 25-6 5-12-3-8 10-12 0-20-7-10 2-18-4-19 12-26 28-4 11 5 8 "
    "1 14-4 10 5 14 16 20 13 7 9 20 10 6 2 7 6-3 13 0 26 8 34 2 6-2-2-6-3-8 6-4 20-5 4-5 15-4 5 3 0 "
    "7 8 2 37-10 17 2zM246 -60l6-18-16-47-10-3-9 16 5 12-1 18 14 6zM-840 328l22 3-4 9-10 1 50 15 102"
    "-11 58 5 47-7 70-5 25 3 8 18 20-13 24 2 20-3-2-10-22-4-28-15-13-14 1-8 9-9 51-9 2-12 12-8 3 16 "
    "12 10-9 12 4 18 19 0 19-7 2-10 9-3 10 2 6 7 15-16 29-21-22-13-30 0-18-13 9 6 18 1-4-10 8-5 18 1"
    "-29-13-1 4 7 6-28-10-3-6 4-4-20-5-10-19 2-8-28-18-1-8 6-22-4-2-9 12 0 8-7 4-15 2-12-1 2-5-27 1"
    "-13-9-3-26 8-16 9-5 16 2 4 10 17 5-7-28 26-5-2-21 7-9 12 3 12-5-3-7-8 8-4-7-16 6-11 8-9 13-19 6"
    "-17 12-9-4-45 21 1 9-35 38-3 10-9 2 26-42-12 8-14 15-12 24-6 7-11 3-19 28-1 40 11-4-2 9-24 9-20 "
    "25-13 11-49 9-20 1-19-5 4 10-13-7-3-8-21-11-26-6 16 6 16 14-24 0-16 9-2 8 23 7-1 4-26 1zM-296 "
    "238l30-4 2 4-5 5 1 5-12 1 2 9-9-6zM-400 368l60-17 32-18-11-8-20 5 15-14-3-6-63 12 21 6 6 9-32 13"
    "-50 4-3 11zM-585 350l17-7 60 6-17 14-20 2-47-7zM-626 360l8-4 28 9 8 10-40-5zM-219 300l17 24 37 "
    "15 53 12 12 24 0 25-200 10-50-20 55-10 40-32-14-13 10-15 17-15zM-424 109l12 7 14-2 27-13-17-2-4 "
    "6-18 7zM-372 92l10 1-4 6 16-1 8-5-16-4zM-391 92l9-1-4-2zM-336 92l8 0-2-2-5 0zM-780 101l6-3-4-3zM"
    "-792 108l4-2-2 2zM-387 43l3-2 6 12 20 9 0-8 7 6 10-7 16-2 15 2 22-21 18-2 12-8 8-13-2-9 76-25 2"
    "-13-19-27-8-37-9-12-12-2-19-12-2-13-32-33-17 4 6-8-2-12-22-5-1-9-14-1 7-7-8-12-12-7 9-7-15-13 2"
    "-11 16-12-12-4-20 8-14 11-6 24 12 13-3 14 3 22 8 21 7 73-30 22-18 33-7 7 6 34 14 16-4 16zM-28 "
    "250l35 6-4 2 5 5-7 2-1 3-10 11-6 1 6 8-10 0 4 5-9 0-4-7 2-5-1-4 4-3 8 0 1-7-7-1 2-4-6-2 11-2-6-2"
    "zM-31 261l1 7 2 4-8 4-6-4-8-1 4-5-6-6 4-2zM-113 320l19-3 20 5-1 8-27-1-10 3-9-4 12-4zM62 189l16 "
    "2-2-7zM42 195l-1 9 5 2 2-4 0-6zM43 208l0 4 4 3 1-5zM118 178l13-2-6-2zM161 175l4 2 7 1-3-4zM55 "
    "278l3 2 4 0 1-2-2-3-5 1zM53 298l1 1-2-1zM12 198l5 1-2-3zM258 358l30-4-10 10 22 11 42 9-37-3-33"
    "-12zM400 48l6-5 3-7-6-6-4 8zM476 28l12-2 42-41-1-14-17 9-18 29zM526 -34l4 4 13-4 11 2 18-7 1-4zM"
    "573 -41l5-1-2-2zM585 -42l10 0 19 0-14-3-15 0zM618 -52l7 8 11 2-8-6zM545 8l3 2 8-2 29 27 11-9-6"
    "-6 5-15-7-4-7-21-30 6zM597 -28l-3 14 5 15 5 5 22 2-4-6-21 0 5-7 10 1-8-5 6-13-6-2-4 10-2-14zM"
    "655 -4l15 0 5-12 15 8 38-15 11-8-3-4 17-17-17 5-13 9-11-8-22 4 2 12-27 10zM603 92l8 0-3-12 3-10 "
    "9-7-16 6-4 13zM610 35l8 8 10 6 4-12-5-8-7 6zM622 62l6-7-2-5zM610 58l6-3 2-6-6 1zM654 170l22 3 3"
    "-5 6 5 15 2 4 3 1 13 5 7-3 9-6-1-3-14-6-5-6 0-6-9-15 0zM650 167l9 1-2-11-5-1-3 8zM661 168l11 3-1"
    "-5-6-2zM701 208l4 4 11-2 12 6-19 11-1-10-7-3zM638 130l3 4-1-2zM710 230l8 5-5 3 3 8-3 25-3-5zM"
    "600 116l5 9 5 0-6-15zM544 96l7 4 4-2-5-6zM568 -112l16 9 21 5 20 24 10 4 11-4 7 12 10 6 21-5-6"
    "-13 20-14 6 2 8 32 6-17 9-4 4-19 14-8 20-26 3-14-6-19-12-25-18-9-10 4-19 1-11 12-2 13-10-9-9 10"
    "-16 6-25-3-12-8-28-6-15 4 3 12-11 29zM723 -204l18 0-1-11-9-3-5 7zM864 -172l10-9 18-7-15-20-4 2 "
    "2 6-6 4 4 8zM863 -203l9-5-19-21-10-4-10 4zM820 -101l15-10-4-1zM798 -46l6-3-5 0zM887 -88l6-1-3-3z"
)

# For each city its names and its place.
CITIES = [
    (names.split(" / "), (float(east), float(north)))
    for east, north, names in (
        line.split(" ", 2) for line in TABLE.splitlines() if line and line[0] != "#"
    )
]
